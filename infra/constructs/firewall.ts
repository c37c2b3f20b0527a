import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'

/** Per source address and five minutes: ten times the largest published burst of a tenant behind one address. */
const FLOOD_LIMIT = 600_000

const visible = (metricName: string) => ({ cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: true })

/**
 * Blocks addresses of bad reputation and floods. It has no rules on bodies, because legitimate payloads of agents contain
 * what such rules block, and the service never executes payloads.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stageArn }: { stageArn: string }) {
    super(scope, id)
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible('all'),
      rules: [
        {
          name: 'reputation',
          priority: 0,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' },
          },
          visibilityConfig: visible('reputation'),
        },
        {
          name: 'flood',
          priority: 1,
          action: { block: {} },
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: FLOOD_LIMIT } },
          visibilityConfig: visible('flood'),
        },
      ],
    })
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: acl.attrArn })
  }
}
