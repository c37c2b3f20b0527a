import { Aws, CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import type { Host } from '../../shared/base/wire/route.ts'
import { acknowledge, wildcard } from '../acknowledge.ts'
import { reservations } from '../concurrency.ts'
import { LogKey } from '../constructs/own-log.ts'
import { Messaging } from '../constructs/messaging.ts'
import { MetricsDashboard } from '../constructs/metrics-dashboard.ts'
import { onlyFromHere } from '../constructs/only-from-here.ts'
import { restoreChallenge } from '../constructs/restore-challenge.ts'
import { StaticEgress } from '../constructs/static-egress.ts'
import { Storage } from '../constructs/storage.ts'
import { UserPool } from '../constructs/user-pool.ts'
import type { Options } from '../options.ts'
import { type Platform, functionName } from '../platform.ts'
import { eachQueue } from '../topology.ts'
import { trainingGrants } from '../uses.ts'
import { byArea, type Surface } from '../surface.ts'
import { unlistable } from '../unlistable.ts'
import { AreaStack } from './area.ts'
import { HostStack } from './host.ts'

const GATEWAY_LOGGING = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs'
const DOCUMENTED = 'API Gateway accepts this managed policy and documents no narrower one.'
const FOREIGN_KEYS =
  'Keys of tenants lie in accounts we do not know; their key policies decide, and each call names its tenant.'

const NAMED_LATER = 'A provider names a job and a model when they are made; the base model is chosen per job.'

/** `dist`: folder of the bundles. */
type Props = StackProps & { surface: Surface; options: Options; dist: string }

/**
 * The whole service: shared resources are here, functions in a nested stack per area, and each API in its own nested stack.
 */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { surface, options, dist, ...props }: Props) {
    super(scope, id, { description: 'Countersign: governs what AI agents do', ...props })
    const alarmTopic = this.#alarmTopic(options.alarmEmail)
    const storage = new Storage(this, 'Storage', options)
    const logKeyArn = options.logKey === 'own' ? new LogKey(this, 'LogKey').keyArn : options.logKey
    const messaging = new Messaging(this, 'Messaging', { prefix: options.prefix, logKeyArn, alarmTopic })
    new MetricsDashboard(this, 'Dashboard', options)
    const directory = new UserPool(this, 'UserPool', { ...options, workers: surface.workers })
    const account = this.#gatewayAccount()
    const restore = options.cdn ? restoreChallenge(this, 'RestoreChallenge') : undefined
    const host = (name: Exclude<Host, 'both'>, domain?: string) => {
      const routes = surface.routes.filter((route) => route.host === name || route.host === 'both')
      const stack = new HostStack(this, name, { routes, options, domain, logKeyArn, alarmTopic, restore })
      stack.node.addDependency(account)
      return stack
    }
    const api = host('api', options.apiDomain)
    const app = host('app', options.appDomain)
    const network = options.staticEgress ? new StaticEgress(this, 'Egress').network : undefined
    const platform = {
      ...platformOf(storage, messaging, { api, app }, options),
      pool: directory.names,
      network,
      logKeyArn,
      reservations: reservations([...surface.routes, ...surface.workers], options.accountConcurrency),
      dist,
    }
    for (const [area, rows] of byArea(surface)) new AreaStack(this, area, { rows, platform, options, alarmTopic })
    acknowledge(this, {
      ...unlistable([storage.checkpoints, storage.files], surface),
      [wildcard('arn:aws:kms:*:*:key/*')]: FOREIGN_KEYS,
      ...Object.fromEntries(namedLater(platform).map((resource) => [wildcard(resource), NAMED_LATER])),
    })
    this.#output({
      ApiUrl: api.url,
      AppUrl: app.url,
      ...(api.cloudFront && app.cloudFront && { ApiCloudFront: api.cloudFront, AppCloudFront: app.cloudFront }),
      BootstrapCommand: bootstrapCommand(surface, options),
    })
  }

  #output(values: Record<string, string>) {
    for (const [id, value] of Object.entries(values)) new CfnOutput(this, id, { value })
  }

  #alarmTopic(email?: string): ITopic | undefined {
    if (!email) return undefined
    const topic = new Topic(this, 'Alarms', { enforceSSL: true })
    topic.addSubscription(new EmailSubscription(email))
    const sameAccount = { conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } } }
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', sameAccount))
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy': 'A mail that does not arrive is an alarm that the console still shows.',
    })
    return topic
  }

  /** Lets API Gateway write logs. The setting is shared by all APIs of the account, so it is retained. */
  #gatewayAccount(): CfnAccount {
    const role = new Role(this, 'GatewayLogRole', {
      assumedBy: onlyFromHere('apigateway'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(GATEWAY_LOGGING)],
    })
    role.applyRemovalPolicy(RemovalPolicy.RETAIN)
    acknowledge(role, {
      [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${GATEWAY_LOGGING}]`]: DOCUMENTED,
    })
    const account = new CfnAccount(this, 'GatewayAccount', { cloudWatchRoleArn: role.roleArn })
    account.applyRemovalPolicy(RemovalPolicy.RETAIN)
    return account
  }
}

/** Resources with `*` of the providers that train models. */
const namedLater = (platform: Pick<Platform, 'region' | 'training'>): string[] =>
  trainingGrants(platform).flatMap(({ resources }) => resources.filter((resource) => resource.includes('*')))

/** The command that founds the first tenant and prints its keys once. */
function bootstrapCommand({ workers }: Surface, { prefix }: Options): string {
  const founder = workers.find(({ trigger }) => 'operator' in trigger)
  if (!founder) throw new Error('no worker has the operation create-tenant')
  const tenant = { name: 'Acme', owner_email: 'owner@example.com', approver_email: 'approver@example.com' }
  return [
    `aws lambda invoke --function-name ${functionName(prefix, founder)} --cli-binary-format raw-in-base64-out`,
    `--payload '${JSON.stringify(tenant)}' /dev/stdout`,
  ].join(' ')
}

const namesOf = ({ queueName: name, queueArn: arn }: Queue) => ({ name, arn })

const queueOf = ({ queue, deadLetters }: Messaging['queues']['checkpoints']) => ({
  ...namesOf(queue),
  deadLetters: namesOf(deadLetters),
})

/** SES identities of the sender: the address and its domain, because either may be the verified one. */
function identitiesOf(mailFrom: string | undefined): string[] {
  const address = /[^<>\s]+@[^<>\s]+/.exec(mailFrom ?? '')?.[0]
  if (!address) return []
  const domain = address.slice(address.indexOf('@') + 1)
  return [address, domain].map((name) => `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:identity/${name}`)
}

function platformOf(
  storage: Storage,
  messaging: Messaging,
  hosts: Record<'api' | 'app', HostStack>,
  options: Options,
): Omit<Platform, 'dist' | 'pool'> {
  const { table, keysTable, checkpoints, files } = storage
  return {
    prefix: options.prefix,
    region: Aws.REGION,
    table: {
      name: table.tableName,
      arn: table.tableArn,
      streamArn: String(table.tableStreamArn),
      keyArn: storage.tableKey.keyArn,
    },
    keysTable: { name: keysTable.tableName, arn: keysTable.tableArn },
    sealKeyArn: storage.sealKey.keyArn,
    signKeyArn: storage.signKeys.at(-1)?.keyArn ?? '',
    formerSignKeyArns: storage.signKeys.slice(0, -1).map(({ keyArn }) => keyArn),
    oauthKeyArns: [storage.oauthKey.keyArn],
    mail: { from: options.mailFrom ?? '', arns: identitiesOf(options.mailFrom) },
    dnsServers: options.dnsServers,
    roles: `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:role/${options.prefix}-*`,
    secretArn: storage.secret.secretArn,
    evidenceSecretArn: storage.evidenceSecret.secretArn,
    providersSecretArn: storage.providersSecret.secretArn,
    bus: { name: messaging.bus.eventBusName, arn: messaging.bus.eventBusArn },
    queueBase: messaging.queueBase,
    queues: eachQueue((name) => queueOf(messaging.queues[name])),
    buckets: {
      evidence: { name: checkpoints.bucketName, arn: checkpoints.bucketArn },
      files: { name: files.bucketName, arn: files.bucketArn },
    },
    passkeys: { relyingParty: options.webauthnRpId ?? '', origins: options.webauthnOrigins ?? '' },
    passwordRangeUrl: options.passwordRangeUrl ?? '',
    training: {
      image: options.trainingImage ?? '',
      roleArn: options.trainingRole ?? '',
      instance: options.trainingInstance,
      bedrockRoleArn: options.bedrockRole ?? '',
      prices: options.trainingPrices ?? '',
    },
    webhookRules: {
      firstAttempt: options.webhookFirstAttempt,
      failuresMax: options.webhookFailuresMax,
      errorDays: options.webhookErrorDays,
    },
    baseUrl: hosts.api.url,
    appUrl: hosts.app.url,
    evidenceOrigin: hosts.api.hostName,
    trustedProxyHops: options.trustedProxyHops + (options.cdn ? 1 : 0),
    corsOrigins: options.corsOrigins ?? hosts.app.url,
  }
}
