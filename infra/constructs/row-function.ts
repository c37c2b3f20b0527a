import { Duration, Size } from 'aws-cdk-lib'
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, type CfnFunction, Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'
import { codeOf } from '../bundle/bundle.ts'
import { functionName, type Platform } from '../platform.ts'
import { OwnLog } from './own-log.ts'
import { environment, type Grant, grants, type Row } from '../uses.ts'

/** Of workers that keep large files for a moment. */
const storageOf = (row: Row) =>
  'ephemeralStorageMb' in row && row.ephemeralStorageMb !== undefined
    ? { ephemeralStorageSize: Size.mebibytes(row.ephemeralStorageMb) }
    : {}

export const statement = ({ actions, resources, conditions }: Grant): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions && { conditions }),
  })

const ONE_BY_ONE = 'Network interfaces cannot be granted one by one.'

const leaves = (row: Row) => row.uses.some((use) => 'outbound' in use)

/** The Lambda function of one row, with its own role and log group, and only the rights that the row names. */
export class RowFunction extends Function {
  constructor(scope: Construct, row: Row, platform: Platform, extra: readonly Grant[] = []) {
    const logGroup = new OwnLog(scope, `${row.operation}Log`, {
      retention: RetentionDays.ONE_MONTH,
      keyArn: platform.logKeyArn,
    })
    const log = { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] }
    const reserved = platform.reservations?.get(row.id)
    const role = new Role(scope, `${row.operation}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        uses: new PolicyDocument({ statements: [...grants(row, platform), ...extra, log].map(statement) }),
      },
    })
    super(scope, row.operation, {
      functionName: functionName(platform.prefix, row),
      code: Code.fromAsset(codeOf(row, platform.dist)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memoryMb ?? 512,
      timeout: Duration.seconds(row.timeoutSeconds ?? 10),
      ...storageOf(row),
      environment: environment(row, platform),
      role: role.withoutPolicyUpdates(),
      logGroup,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    })
    if (platform.network && leaves(row)) this.#joinNetwork(role, platform.network)
    acknowledge(this, {
      'Serverless-LambdaDLQ':
        'Called synchronously or by a poller with a failure queue; a lost scheduled run is made up for by the next.',
      'Serverless-LambdaTracing':
        'The trace id arrives with the request; segments would need rights on all traces of the account.',
    })
  }

  #joinNetwork(role: Role, { subnetIds, securityGroupIds }: NonNullable<Platform['network']>) {
    const resource = this.node.defaultChild as CfnFunction // what a Function makes
    resource.vpcConfig = { subnetIds, securityGroupIds }
    acknowledge(role, {
      'AwsSolutions-IAM5[Resource::*]': ONE_BY_ONE,
      'Serverless-LambdaStarPermissions': ONE_BY_ONE,
    })
  }
}
