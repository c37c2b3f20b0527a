// The only source of what a function may do and of what it is told: a row's `uses`, plus what its `access` implies.
import type { BucketName, CognitoAction, Route, Use } from '../shared/http/route.ts'
import type { Worker } from '../shared/http/worker.ts'
import { type Platform, valuesOf } from './platform.ts'
import { ENVIRONMENT, TABLE } from './topology.ts'

export type Row = Route | Worker

/** One IAM statement that allows. */
export type Grant = {
  actions: readonly string[]
  resources: readonly string[]
  conditions?: Record<string, Record<string, string | string[]>>
}

/** `marks`: items that a function updates even when it writes nothing else, by their partition keys. */
type Need = Use | { marks: readonly string[] }

/** Rate windows of tenants and addresses; the time at which a key was last used. */
const RATE_WINDOWS = ['T#*#RL', 'RL#*']
const CREDENTIALS = ['APIKEY#*']

/** What a row touches in all. Routes behind authentication look up credentials, routes with a rate count requests. */
export function needs(row: Row): Need[] {
  if ('trigger' in row) return [...row.uses]
  const authenticates = row.access !== 'public' && row.access !== 'provider'
  const counts = row.rate !== 'none'
  const marks = [...(counts ? RATE_WINDOWS : []), ...(authenticates ? CREDENTIALS : [])]
  return [
    ...row.uses,
    ...(authenticates ? [{ table: 'read' } as const, { secret: true } as const] : []),
    ...(marks.length > 0 ? [{ marks }] : []),
  ]
}

/**
 * A transaction needs the actions of its items; DynamoDB has none for TransactWriteItems itself. BatchWriteItem gives no
 * more than putting and deleting do.
 */
const WRITES = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem']
const READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']

/** DynamoDB opens an encrypted table with the caller's right to decrypt, and only DynamoDB may use that right. */
const unlock = ({ table, region }: Platform): Grant => ({
  actions: ['kms:Decrypt'],
  resources: [table.keyArn],
  conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${region}.amazonaws.com` } },
})

const reads = ({ table }: Platform): Grant[] => [
  { actions: READS, resources: [table.arn] },
  { actions: ['dynamodb:Query'], resources: TABLE.indexes.map(({ name }) => `${table.arn}/index/${name}`) },
]

function grantsOf(need: Need, platform: Platform): Grant[] {
  const { table, keysTable, queues, buckets } = platform
  if ('table' in need) {
    const writes = need.table === 'write' ? [{ actions: WRITES, resources: [table.arn] }] : []
    return [...reads(platform), ...writes, unlock(platform)]
  }
  if ('govern' in need) return [...reads(platform), unlock(platform)]
  if ('marks' in need) return markGrants(platform, need.marks)
  if ('queue' in need) return [{ actions: ['sqs:SendMessage'], resources: [queues[need.queue].arn] }]
  if ('bucket' in need) return bucketGrants(need.bucket, buckets[need.bucket].arn, need.access)
  if ('seal' in need) return sealGrants(platform, keysTable.arn, need.seal)
  if ('sign' in need) return [{ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: [platform.signKeyArn] }]
  if ('verifyKey' in need) return [{ actions: ['kms:GetPublicKey'], resources: [platform.signKeyArn] }]
  if ('secret' in need) return [{ actions: ['secretsmanager:GetSecretValue'], resources: [platform.secretArn] }]
  if ('bus' in need) return [{ actions: ['events:PutEvents'], resources: [platform.bus.arn] }]
  if ('asset' in need) return []
  if ('cognito' in need) return [{ actions: need.cognito.map(poolAction), resources: [platform.pool.arn] }]
  if ('mail' in need) return [{ actions: ['ses:SendEmail'], resources: [...platform.mail.arns] }]
  if ('oauthKey' in need) return [{ actions: ['kms:Sign', 'kms:GetPublicKey'], resources: [...platform.oauthKeyArns] }]
  if ('customerKeys' in need) return [customerKeyGrant(need.customerKeys)]
  return healthGrants(platform)
}

const poolAction = (action: CognitoAction) => `cognito-idp:${action}`

const CUSTOMER_KEY_ACTIONS = {
  use: ['kms:GenerateDataKey', 'kms:Decrypt'],
  inspect: ['kms:DescribeKey', 'kms:GenerateDataKey', 'kms:Decrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
} as const

/** Tenants' own keys lie in accounts we do not know: their key policies decide, and each call names its tenant. */
const customerKeyGrant = (use: keyof typeof CUSTOMER_KEY_ACTIONS): Grant => ({
  actions: CUSTOMER_KEY_ACTIONS[use],
  resources: ['arn:aws:kms:*:*:key/*'],
  conditions: { Null: { 'kms:EncryptionContext:tenant_id': 'false' } },
})

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

/** Only checkpoints are looked for; files are fetched by the name that their item holds. */
const bucketGrants = (name: BucketName, arn: string, access: keyof typeof OBJECT_ACTIONS): Grant[] => [
  { actions: OBJECT_ACTIONS[access], resources: [`${arn}/*`] },
  ...(name === 'evidence' ? [{ actions: ['s3:ListBucket'], resources: [arn] }] : []),
]

/** Data keys are bound to their tenant: a call that names none in its encryption context is refused. */
const openKeys = ({ sealKeyArn }: Platform): Grant => ({
  actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
  resources: [sealKeyArn],
  conditions: { Null: { 'kms:EncryptionContext:tenant_id': 'false' } },
})

/** Who destroys keys need not be able to open them. */
const sealGrants = (platform: Platform, keysTableArn: string, seal: 'payload' | 'erase'): Grant[] => [
  { actions: ['dynamodb:GetItem', 'dynamodb:PutItem'], resources: [keysTableArn] },
  unlock(platform),
  ...(seal === 'payload' ? [openKeys(platform)] : []),
]

const healthGrants = ({ queues, bus, signKeyArn }: Platform): Grant[] => [
  { actions: ['sqs:GetQueueAttributes'], resources: Object.values(queues).map(({ arn }) => arn) },
  { actions: ['events:DescribeEventBus'], resources: [bus.arn] },
  { actions: ['kms:DescribeKey'], resources: [signKeyArn] },
]

/** Everything the row's function may do besides writing its own log; equal statements once. */
export function grants(row: Row, platform: Platform): Grant[] {
  const all = needs(row).flatMap((need) => grantsOf(need, platform))
  return [...new Map(all.map((grant) => [JSON.stringify(grant), grant])).values()]
}

function variablesOf(need: Need): readonly string[] {
  if ('queue' in need) return [ENVIRONMENT.queue[need.queue]]
  if ('bucket' in need) return [ENVIRONMENT.bucket[need.bucket]]
  if ('asset' in need) return [ENVIRONMENT.asset[need.asset]]
  if ('seal' in need) return ENVIRONMENT.seal
  if ('sign' in need) return ENVIRONMENT.sign
  if ('verifyKey' in need) return ENVIRONMENT.verifyKey
  if ('secret' in need) return ENVIRONMENT.secret
  if ('bus' in need) return ENVIRONMENT.bus
  if ('health' in need) return ENVIRONMENT.health
  if ('cognito' in need) return ENVIRONMENT.cognito
  if ('mail' in need) return ENVIRONMENT.mail
  if ('oauthKey' in need) return ENVIRONMENT.oauthKey
  return []
}

/** The function's environment: names and addresses only, and none that its row does not ask for. */
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
