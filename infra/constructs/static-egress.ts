import { CfnEIP, GatewayVpcEndpointAwsService, NatProvider, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'
import type { Platform } from '../platform.ts'

const ZONES = 2

/** Fixed source addresses for outgoing calls, which receivers can put on an allowlist. */
export class StaticEgress extends Construct {
  readonly network: NonNullable<Platform['network']>

  constructor(scope: Construct, id: string) {
    super(scope, id)
    const addresses = Array.from({ length: ZONES }, (_, zone) => new CfnEIP(this, `Address${zone}`, { domain: 'vpc' }))
    const vpc = new Vpc(this, 'Network', {
      maxAzs: ZONES,
      natGateways: ZONES,
      natGatewayProvider: NatProvider.gateway({ eipAllocationIds: addresses.map((one) => one.attrAllocationId) }),
      subnetConfiguration: [
        { name: 'gateways', subnetType: SubnetType.PUBLIC, cidrMask: 28 },
        { name: 'functions', subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 20 },
      ],
      gatewayEndpoints: {
        table: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        files: { service: GatewayVpcEndpointAwsService.S3 },
      },
    })
    const group = new SecurityGroup(this, 'Outbound', { vpc, description: 'Functions that call receivers and targets' })
    this.network = {
      subnetIds: vpc.selectSubnets({ subnetType: SubnetType.PRIVATE_WITH_EGRESS }).subnetIds,
      securityGroupIds: [group.securityGroupId],
      addresses: addresses.map((one) => one.attrPublicIp),
    }
    acknowledge(vpc, {
      'AwsSolutions-VPC7': 'Every call that leaves is in the delivery log or in the evidence of its execution.',
    })
  }
}
