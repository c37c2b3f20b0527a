// Compares what a function can call with what its role allows, in both directions. Differences that are right are listed
// here, each with its reason.
import type { Grant } from '../../../infra/uses.ts'
import type { Calls, Command } from './calls.ts'

const PREFIX: Record<string, string> = {
  'cognito-identity-provider': 'cognito-idp',
  eventbridge: 'events',
  'secrets-manager': 'secretsmanager',
  sesv2: 'ses',
}

/** Commands whose right is called otherwise. */
const ACTIONS: Record<string, readonly string[]> = {
  'dynamodb:TransactWriteItems': [
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:ConditionCheckItem',
  ],
  's3:HeadObject': ['s3:GetObject'],
  's3:ListObjectsV2': ['s3:ListBucket'],
  's3:GetObjectLockConfiguration': ['s3:GetBucketObjectLockConfiguration'],
  'kms:ReEncrypt': ['kms:ReEncryptFrom', 'kms:ReEncryptTo'],
  'sqs:SendMessageBatch': ['sqs:SendMessage'],
}

function actionsOf({ service, name }: Command): readonly string[] {
  const action = `${PREFIX[service] ?? service}:${name}`
  return ACTIONS[action] ?? [action]
}

/** Parts of every endpoint. Which of them act is decided by the row's access and rate, and so are the rights for it. */
const IN_EVERY_ENDPOINT =
  /^shared\/(edge|base\/(limits|wire)|identity\/access)\/|^shared\/(base\/(tenant\/find|kernel\/count|aws\/deployment-secret)|ledger\/audit\/write-audit-entry)\.ts$|^shared\/identity\/(oauth\/(account|clients\/client|access-token)|sessions\/live-session)\.ts$/

const READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const WRITES = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
]

/** Rights that a row asks for as one: who uses one of these … may have all of those. */
const TOGETHER: readonly (readonly [string[], string[]])[] = [
  [READS, READS],
  [WRITES, [...READS, ...WRITES]],
  [
    ['kms:GenerateDataKey', 'kms:Decrypt'],
    ['kms:GenerateDataKey', 'kms:Decrypt'],
  ],
  [['kms:Sign'], ['kms:GetPublicKey']],
]

/** Rights that no command needs: action → why. */
const WITHOUT_COMMAND: Record<string, string> = {
  'kms:Decrypt': 'DynamoDB opens the encrypted tables with it',
  'iam:PassRole': 'a provider of training is handed the role that it trains under',
  's3:ListBucket': 'S3 tells only those who may list that an object is missing',
}

const actionsIn = (grants: readonly Grant[]) => new Set(grants.flatMap(({ actions }) => actions))

/** What the function calls and its role refuses. */
export function missing({ commands }: Calls, grants: readonly Grant[]): string[] {
  const allowed = actionsIn(grants)
  return commands
    .filter(({ file }) => !IN_EVERY_ENDPOINT.test(file))
    .flatMap((command) => actionsOf(command).map((action) => ({ action, file: command.file })))
    .filter(({ action }) => !allowed.has(action))
    .map(({ action, file }) => `${action} for ${file}`)
}

/** What the role allows and nothing in the function calls. */
export function excess({ commands }: Calls, grants: readonly Grant[]): string[] {
  const called = new Set(commands.flatMap(actionsOf))
  const alongside = TOGETHER.filter(([some]) => some.some((action) => called.has(action))).flatMap(([, all]) => all)
  const needed = new Set([...called, ...alongside])
  return [...actionsIn(grants)].filter((action) => !needed.has(action) && !(action in WITHOUT_COMMAND))
}

/** Variables that no stack sets: names → why. */
const UNSET: readonly (readonly [RegExp, string])[] = [
  [/^_?(AWS|X_AMZN)_/, 'set by Lambda'],
  [/^(LOG_LEVEL|WEBHOOK_RETRY_BASE_SECONDS)$/, 'has a default, changed by tests and locally'],
  [/^COUNTRIES_FILE$/, 'set where sign-ins begin and actions are requested; elsewhere no country is looked up'],
  [/^(ADDRESS_RATE_FACTOR|SDK_TIMEOUT_FACTOR|OUTBOUND_ALLOW_CIDRS|OUTBOUND_ALLOW_HTTP)$/, 'local runtime only'],
]

/** Variables that the function reads and its environment lacks. */
export const unset = ({ variables }: Calls, environment: Record<string, string>): string[] =>
  variables
    .filter(({ name, file }) => !(name in environment) && !IN_EVERY_ENDPOINT.test(file))
    .filter(({ name }) => !UNSET.some(([names]) => names.test(name)))
    .map(({ name, file }) => `${name} for ${file}`)
