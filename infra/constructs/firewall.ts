import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'

/** Per source address and five minutes: ten times the largest published burst of a tenant behind one address. */
const FLOOD_LIMIT = 600_000

/** The header in which CloudFront proves that a request comes through it. */
export const ORIGIN_SECRET = 'X-Origin-Secret'

const visible = (metricName: string) => ({ cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: true })

type Rule = Omit<CfnWebACL.RuleProperty, 'priority'>

const reputation: Rule = {
  name: 'reputation',
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' },
  },
  visibilityConfig: visible('reputation'),
}

/** Behind CloudFront the source is CloudFront, which says in a header who called it. */
const flood = (behindCloudFront: boolean): Rule => ({
  name: 'flood',
  action: { block: {} },
  statement: {
    rateBasedStatement: {
      limit: FLOOD_LIMIT,
      ...(behindCloudFront
        ? {
            aggregateKeyType: 'FORWARDED_IP',
            forwardedIpConfig: { headerName: 'X-Viewer-Address', fallbackBehavior: 'MATCH' },
          }
        : { aggregateKeyType: 'IP' }),
    },
  },
  visibilityConfig: visible('flood'),
})

/** Blocks callers that go around CloudFront. */
const origin = (secret: string): Rule => ({
  name: 'origin',
  action: { block: {} },
  statement: {
    notStatement: {
      statement: {
        byteMatchStatement: {
          fieldToMatch: { singleHeader: { Name: ORIGIN_SECRET.toLowerCase() } },
          positionalConstraint: 'EXACTLY',
          searchString: secret,
          textTransformations: [{ priority: 0, type: 'NONE' }],
        },
      },
    },
  },
  visibilityConfig: visible('origin'),
})

/** `waf`: reputation and floods. `originSecret`: only CloudFront may call. */
type Props = { stageArn: string; waf: boolean; originSecret?: string | undefined }

/**
 * Blocks addresses of bad reputation and floods. It has no rules on bodies, because legitimate payloads of agents contain
 * what such rules block, and the service never executes payloads.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stageArn, waf, originSecret }: Props) {
    super(scope, id)
    const behindCloudFront = originSecret !== undefined
    const rules: Rule[] = [
      ...(behindCloudFront ? [origin(originSecret)] : []),
      ...(waf && !behindCloudFront ? [reputation] : []), // it judges the source, which would be CloudFront
      ...(waf ? [flood(behindCloudFront)] : []),
    ]
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible('all'),
      rules: rules.map((rule, priority) => ({ ...rule, priority })),
    })
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stageArn, webAclArn: acl.attrArn })
  }
}
