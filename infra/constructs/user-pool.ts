import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  AccountRecovery,
  type CfnUserPool,
  type CfnUserPoolClient,
  ClientAttributes,
  FeaturePlan,
  Mfa,
  StringAttribute,
  UserPool as Pool,
} from 'aws-cdk-lib/aws-cognito'
import { Construct } from 'constructs'
import type { Worker } from '../../shared/base/wire/worker.ts'
import { acknowledge } from '../acknowledge.ts'
import { functionName, type Platform } from '../platform.ts'
import { USER_POOL } from '../topology.ts'

type Props = { prefix: string; cognitoPlan: 'essentials' | 'plus'; workers: readonly Worker[] }

/**
 * The user pool that holds passwords, retained and protected against deletion. Only the service calls it: it has no
 * self-registration, no hosted pages and no second factors. Functions are given by name, because references would make the
 * stacks depend on each other.
 */
export class UserPool extends Construct {
  readonly #pool: Pool
  readonly names: Platform['pool']

  constructor(scope: Construct, id: string, { prefix, cognitoPlan, workers }: Props) {
    super(scope, id)
    this.#pool = new Pool(this, 'Pool', {
      featurePlan: cognitoPlan === 'plus' ? FeaturePlan.PLUS : FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: false,
      signInAliases: { username: true },
      signInCaseSensitive: true,
      customAttributes: { [USER_POOL.tenantAttribute]: new StringAttribute({ mutable: false, maxLen: 64 }) },
      passwordPolicy: {
        minLength: USER_POOL.passwordLengthMin,
        requireLowercase: false,
        requireUppercase: false,
        requireDigits: false,
        requireSymbols: false,
      },
      mfa: Mfa.OFF,
      accountRecovery: AccountRecovery.NONE,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    const resource = this.#pool.node.defaultChild as CfnUserPool
    resource.lambdaConfig = triggers(workers, prefix)
    const { userPoolId, userPoolArn: arn } = this.#pool
    const issuer = `https://cognito-idp.${Aws.REGION}.amazonaws.com/${userPoolId}`
    this.names = { id: userPoolId, arn, clientId: this.#client(), issuer }
    this.#acknowledge()
  }

  /** A confidential client without OAuth and without token rotation. It cannot write the attribute of the tenant. */
  #client(): string {
    const address = new ClientAttributes().withStandardAttributes({ email: true })
    const client = this.#pool.addClient('Service', {
      generateSecret: true,
      disableOAuth: true,
      accessTokenValidity: Duration.minutes(USER_POOL.accessMinutes),
      idTokenValidity: Duration.minutes(USER_POOL.accessMinutes),
      refreshTokenValidity: Duration.days(USER_POOL.refreshDays),
      authSessionValidity: Duration.minutes(USER_POOL.challengeMinutes),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
      readAttributes: address.withCustomAttributes(USER_POOL.tenantAttribute),
      writeAttributes: address,
    })
    client.applyRemovalPolicy(RemovalPolicy.RETAIN)
    const resource = client.node.defaultChild as CfnUserPoolClient
    resource.explicitAuthFlows = [...USER_POOL.flows]
    return client.userPoolClientId
  }

  #acknowledge() {
    acknowledge(this.#pool, {
      'AwsSolutions-COG1':
        'Passwords are judged by length, as NIST SP 800-63B has it; the service itself asks for twelve.',
      'AwsSolutions-COG2': 'Second factors are the service’s own: by tenant, with step-up and recovery codes.',
      'AwsSolutions-COG8': 'The Plus plan is an option; nothing here needs it.',
    })
  }
}

const FUNCTIONS = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function`

/** One function per trigger. Version 2 of the pre token event is needed to change access tokens. */
function triggers(workers: readonly Worker[], prefix: string): CfnUserPool.LambdaConfigProperty {
  const arns = Object.fromEntries(
    workers.flatMap((worker) =>
      'cognito' in worker.trigger ? [[worker.trigger.cognito, `${FUNCTIONS}:${functionName(prefix, worker)}`]] : [],
    ),
  )
  const { preTokenGeneration, ...others } = arns
  if (!preTokenGeneration) throw new Error('no worker has the trigger preTokenGeneration')
  return { ...others, preTokenGenerationConfig: { lambdaArn: preTokenGeneration, lambdaVersion: 'V2_0' } }
}
