// Derives IAM statements and environment of a function from its row: from `uses`, and from what `access` implies.
import type { BucketName, CognitoAction, Route, Use } from '../shared/base/wire/route.ts'
import type { QueueName } from '../shared/base/catalog/queues.ts'
import type { Worker } from '../shared/base/wire/worker.ts'
import { type Platform, valuesOf } from './platform.ts'
import { ENVIRONMENT, TABLE } from './topology.ts'

export type Row = Route | Worker

/** One IAM statement that allows. */
export type Grant = {
  actions: readonly string[]
  resources: readonly string[]
  conditions?: Record<string, Record<string, string | string[]>>
}

/** `marks`: partition keys of items that a function updates even if it otherwise only reads. */
type Need = Use | { marks: readonly string[] }

/**
 * Rate windows of tenants and addresses; the time at which a key was last used, unknown keys by address, what was refused, and
 * how many answers were errors of the service.
 */
const RATE_WINDOWS = ['T#*#RL', 'RL#*']
const CREDENTIALS = ['APIKEY#*', 'SESSION#*', 'COUNTER#unknown_key_flood#*', 'BLOCK#keys#*', 'T#*#AUDIT#*', 'T#*#TALLY']

/** The item that notes a tenant's key that did not answer, for the sweeper. */
const SUSPECTED_KEYS = ['T#*#KMS']

const leavesEvidence = ({ evidence }: Row): boolean => !(typeof evidence === 'object' && 'none' in evidence)

/** An action may run through a connection, whose tokens are renewed with the client at its provider. */
const runsActions = ({ uses }: Row): boolean =>
  uses.some((use) => 'govern' in use) && uses.some((use) => 'outbound' in use)

/** All uses of a row, with those for authentication and rate limits. */
export function needs(row: Row): Need[] {
  const implied = [
    ...(leavesEvidence(row) ? [{ attest: true } as const] : []),
    ...(runsActions(row) ? [{ providers: true } as const] : []),
  ]
  if ('trigger' in row) return [...row.uses, ...implied]
  const authenticates = row.access !== 'public' && row.access !== 'provider'
  const counts = row.rate !== 'none'
  const seals = row.uses.some((use) => 'seal' in use && use.seal === 'payload')
  const marks = [
    ...(counts ? RATE_WINDOWS : []),
    ...(authenticates ? CREDENTIALS : []),
    ...(seals ? SUSPECTED_KEYS : []),
  ]
  return [
    ...row.uses,
    ...implied,
    ...(authenticates ? [{ table: 'read' } as const, { secret: true } as const] : []),
    ...(marks.length > 0 ? [{ marks }] : []),
  ]
}

/**
 * TransactWriteItems has no action of its own, so a transaction needs the actions of its items. BatchWriteItem gives no more
 * rights than PutItem and DeleteItem.
 */
const WRITES = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
]
const READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']

/** DynamoDB decrypts the table with the caller's rights, which are limited to calls through DynamoDB. */
const unlock = ({ table, region }: Platform): Grant => ({
  actions: ['kms:Decrypt'],
  resources: [table.keyArn],
  conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${region}.amazonaws.com` } },
})

const reads = ({ table }: Platform): Grant[] => [
  { actions: READS, resources: [table.arn] },
  { actions: ['dynamodb:Query'], resources: TABLE.indexes.map(({ name }) => `${table.arn}/index/${name}`) },
]

/** Decisions ask the models that are deployed. */
const readModels = ({ buckets }: Platform): Grant => ({
  actions: ['s3:GetObject'],
  resources: [`${buckets.files.arn}/models/*`],
})

/** Uses that give environment variables, but no rights. */
const WITHOUT_RIGHTS = ['asset', 'dns', 'leakedPasswords', 'metrics', 'passkeys', 'webhookRules']

function grantsOf(need: Need, platform: Platform): Grant[] {
  const { table, keysTable, queues, buckets } = platform
  if ('table' in need) {
    if (need.only) return rowGrants(platform, need.table, need.only)
    const writes = need.table === 'write' ? [{ actions: WRITES, resources: [table.arn] }] : []
    return [...reads(platform), ...writes, unlock(platform)]
  }
  if ('govern' in need) return [...reads(platform), unlock(platform), readModels(platform)]
  if ('marks' in need) return markGrants(platform, need.marks)
  if ('queue' in need) {
    const actions = [
      ...(need.comesBack === 'only' ? [] : ['sqs:SendMessage']),
      ...(need.comesBack ? ['sqs:ChangeMessageVisibility'] : []),
    ]
    return [{ actions, resources: [queues[need.queue].arn] }]
  }
  if ('inspect' in need) return [inspects(queues[need.inspect])]
  if ('bucket' in need) return bucketGrants(buckets[need.bucket].arn, need)
  if ('seal' in need) return sealGrants(platform, keysTable.arn, need.seal)
  if ('sign' in need) return [{ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: signKeys(platform) }]
  if ('verifyKey' in need) return [{ actions: ['kms:GetPublicKey'], resources: signKeys(platform) }]
  if ('secret' in need) return [{ actions: ['secretsmanager:GetSecretValue'], resources: [platform.secretArn] }]
  if ('attest' in need) return [{ actions: ['secretsmanager:GetSecretValue'], resources: [platform.evidenceSecretArn] }]
  if ('providers' in need)
    return [{ actions: ['secretsmanager:GetSecretValue'], resources: [platform.providersSecretArn] }]
  if ('bus' in need) return [{ actions: ['events:PutEvents'], resources: [platform.bus.arn] }]
  if (WITHOUT_RIGHTS.some((name) => name in need)) return []
  if ('outbound' in need) return platform.network ? [NETWORK_INTERFACES] : []
  if ('cognito' in need) return [{ actions: need.cognito.map(poolAction), resources: [platform.pool.arn] }]
  if ('mail' in need) return mailGrants(platform)
  if ('oauthKey' in need) return [{ actions: OAUTH_KEY_ACTIONS[need.oauthKey], resources: [...platform.oauthKeyArns] }]
  if ('customerKeys' in need) return customerKeyGrants(platform, need.customerKeys)
  if ('describe' in need) return describeGrants(platform)
  if ('training' in need) return need.training === 'run' ? trainingGrants(platform) : []
  return healthGrants(platform)
}

/** Rights that Lambda needs to attach a function to a network. They cannot be limited to a resource. */
const NETWORK_INTERFACES: Grant = {
  actions: [
    'ec2:AssignPrivateIpAddresses',
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:UnassignPrivateIpAddresses',
  ],
  resources: ['*'],
}

/**
 * Former keys may sign, too, because an idle chain may have missed some rotations and needs a succession from its last key.
 */
const signKeys = ({ signKeyArn, formerSignKeyArns }: Platform): string[] => [signKeyArn, ...formerSignKeyArns]

const poolAction = (action: CognitoAction) => `cognito-idp:${action}`

const OAUTH_KEY_ACTIONS = {
  sign: ['kms:Sign', 'kms:GetPublicKey'],
  read: ['kms:GetPublicKey'],
} as const

/** None without a sender, because IAM refuses statements without resources. */
const mailGrants = ({ mail }: Platform): Grant[] =>
  mail.arns.length > 0 ? [{ actions: ['ses:SendEmail'], resources: [...mail.arns] }] : []

/** Keys of tenants are in unknown accounts; their key policies decide. */
const ANY_KEY = 'arn:aws:kms:*:*:key/*'

/** Requires an encryption context with a tenant, because data keys are bound to their tenant. */
const forTenants = (actions: readonly string[], ...resources: string[]): Grant => ({
  actions,
  resources,
  conditions: { Null: { 'kms:EncryptionContext:tenant_id': 'false' } },
})

/** DescribeKey has no encryption context, so it cannot require one. It only shows that the key exists. */
function customerKeyGrants(platform: Platform, use: 'show' | 'check' | 'manage'): Grant[] {
  const { sealKeyArn, keysTable } = platform
  if (use === 'show') return []
  return [
    { actions: ['kms:DescribeKey'], resources: [ANY_KEY] },
    openKeys(platform),
    { actions: ['dynamodb:Query'], resources: [keysTable.arn] },
    unlock(platform),
    ...(use === 'manage' ? [forTenants(['kms:ReEncryptFrom', 'kms:ReEncryptTo'], sealKeyArn, ANY_KEY)] : []),
  ]
}

/** Rights on some partition keys only, for functions that parse risky input of strangers. */
const rowGrants = (platform: Platform, access: 'read' | 'write', keys: readonly string[]): Grant[] => [
  {
    actions: access === 'write' ? [...READS, ...WRITES] : READS,
    resources: [platform.table.arn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] } },
  },
  unlock(platform),
]

const markGrants = (platform: Platform, keys: readonly string[]): Grant[] => [
  {
    actions: ['dynamodb:Query', 'dynamodb:UpdateItem'],
    resources: [platform.table.arn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] } },
  },
  unlock(platform),
]

const OBJECT_ACTIONS = {
  read: ['s3:GetObject'],
  write: ['s3:GetObject', 's3:PutObject'],
  put: ['s3:PutObject'],
  remove: ['s3:DeleteObject'],
} as const

type BucketUse = Extract<Use, { bucket: BucketName }>

/** Only checkpoints, breaks and the count of files need ListBucket; the names of files are stored in their items. */
function bucketGrants(arn: string, use: BucketUse): Grant[] {
  if (use.access === 'list') return [listSpace(arn)]
  const { bucket, access, prefix = '' } = use
  return [
    { actions: OBJECT_ACTIONS[access], resources: [`${arn}/${prefix}*`] },
    ...(bucket === 'evidence' && access !== 'put' ? [{ actions: ['s3:ListBucket'], resources: [arn] }] : []),
  ]
}

/** Never the whole bucket: the name of a space stands in what is asked for. */
const listSpace = (arn: string): Grant => ({
  actions: ['s3:ListBucket'],
  resources: [arn],
  conditions: { StringLike: { 's3:prefix': ['?*/?*/live/*', '?*/?*/test/*'] } },
})

const openKeys = ({ sealKeyArn }: Platform): Grant =>
  forTenants(['kms:GenerateDataKey', 'kms:Decrypt'], sealKeyArn, ANY_KEY)

/** A function that erases keys does not need the right to unwrap them. */
const sealGrants = (platform: Platform, keysTableArn: string, seal: 'payload' | 'erase'): Grant[] => [
  { actions: ['dynamodb:GetItem', 'dynamodb:PutItem'], resources: [keysTableArn] },
  unlock(platform),
  ...(seal === 'payload' ? [openKeys(platform)] : []),
]

const inspects = ({ arn, deadLetters }: Platform['queues'][QueueName]): Grant => ({
  actions: ['sqs:GetQueueAttributes'],
  resources: [arn, deadLetters.arn],
})

const healthGrants = ({ queues, bus, signKeyArn }: Platform): Grant[] => [
  {
    actions: ['sqs:GetQueueAttributes'],
    resources: Object.values(queues).flatMap(({ arn, deadLetters }) => [arn, deadLetters.arn]),
  },
  { actions: ['events:DescribeEventBus'], resources: [bus.arn] },
  { actions: ['kms:DescribeKey'], resources: [signKeyArn] },
]

/** Of the providers that are configured: jobs with the names that the service gives, under the roles of the deployment. */
export function trainingGrants({ region, training }: Pick<Platform, 'region' | 'training'>): Grant[] {
  const { roleArn, bedrockRoleArn } = training
  const pass = (role: string, service: string): Grant => ({
    actions: ['iam:PassRole'],
    resources: [role],
    conditions: { StringEquals: { 'iam:PassedToService': `${service}.amazonaws.com` } },
  })
  const jobs = ['sagemaker:CreateTrainingJob', 'sagemaker:DescribeTrainingJob', 'sagemaker:StopTrainingJob']
  const customizations = [
    'bedrock:CreateModelCustomizationJob',
    'bedrock:GetModelCustomizationJob',
    'bedrock:StopModelCustomizationJob',
  ]
  return [
    ...(roleArn
      ? [{ actions: jobs, resources: [`arn:aws:sagemaker:${region}:*:training-job/job-*`] }, pass(roleArn, 'sagemaker')]
      : []),
    ...(bedrockRoleArn
      ? [
          {
            actions: customizations,
            resources: [
              `arn:aws:bedrock:${region}:*:model-customization-job/*`,
              `arn:aws:bedrock:${region}:*:custom-model/*`,
              `arn:aws:bedrock:${region}::foundation-model/*`,
            ],
          },
          pass(bedrockRoleArn, 'bedrock'),
        ]
      : []),
  ]
}

/** Settings only: none of these rights reads what a resource holds, or changes it. */
const describeGrants = ({ sealKeyArn, table, buckets }: Platform): Grant[] => [
  { actions: ['kms:DescribeKey', 'kms:GetKeyRotationStatus'], resources: [sealKeyArn] },
  { actions: ['dynamodb:DescribeContinuousBackups'], resources: [table.arn] },
  { actions: ['s3:GetBucketVersioning', 's3:GetBucketObjectLockConfiguration'], resources: [buckets.evidence.arn] },
]

/** All rights of the row's function except writing its log, without duplicates. */
export function grants(row: Row, platform: Platform): Grant[] {
  const all = needs(row).flatMap((need) => grantsOf(need, platform))
  return [...new Map(all.map((grant) => [JSON.stringify(grant), grant])).values()]
}

function variablesOf(need: Need): readonly string[] {
  if ('queue' in need) return ENVIRONMENT.queue
  if ('inspect' in need) return ENVIRONMENT.inspect
  if ('bucket' in need) return [ENVIRONMENT.bucket[need.bucket]]
  if ('govern' in need) return [ENVIRONMENT.bucket.files]
  if ('asset' in need) return [ENVIRONMENT.asset[need.asset]]
  if ('seal' in need) return ENVIRONMENT.seal
  if ('sign' in need) return ENVIRONMENT.sign
  if ('verifyKey' in need) return ENVIRONMENT.verifyKey
  if ('secret' in need) return ENVIRONMENT.secret
  if ('attest' in need) return ENVIRONMENT.attest
  if ('providers' in need) return ENVIRONMENT.providers
  if ('bus' in need) return ENVIRONMENT.bus
  if ('health' in need) return ENVIRONMENT.health
  if ('metrics' in need) return ENVIRONMENT.metrics
  if ('training' in need) return ENVIRONMENT.training
  if ('leakedPasswords' in need) return ENVIRONMENT.leakedPasswords
  if ('passkeys' in need) return ENVIRONMENT.passkeys
  if ('webhookRules' in need) return ENVIRONMENT.webhookRules
  if ('outbound' in need) return ENVIRONMENT.outbound
  if ('cognito' in need) return ENVIRONMENT.cognito
  if ('mail' in need) return ENVIRONMENT.mail
  if ('customerKeys' in need) return ENVIRONMENT.customerKeys
  if ('dns' in need) return ENVIRONMENT.dns
  if ('describe' in need) return ENVIRONMENT.describe
  if ('oauthKey' in need) return ENVIRONMENT.oauthKey
  return []
}

/** The environment of the function: only the variables that its row needs. */
export function environment(row: Row, platform: Platform): Record<string, string> {
  const values = valuesOf(platform)
  const names = new Set([...ENVIRONMENT.always, ...needs(row).flatMap(variablesOf)])
  return Object.fromEntries(
    [...names].map((name) => {
      const value = values[name]
      if (value === undefined) throw new Error(`no value for environment variable ${name}`)
      return [name, value]
    }),
  )
}
