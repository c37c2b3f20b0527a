// Compares what a bundle can call with what its role allows, in both directions. Differences that are right are listed
// here, each with its reason.
import type { Grant } from '../../../infra/uses.ts'
import type { Closure, Command } from './closures.ts'

const PREFIX: Record<string, string> = {
  dynamodb: 'dynamodb',
  eventbridge: 'events',
  kms: 'kms',
  s3: 's3',
  'secrets-manager': 'secretsmanager',
  sqs: 'sqs',
}

const TRANSACTED = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']

/** Commands whose right is called otherwise. */
const ACTIONS: Record<string, readonly string[]> = {
  'dynamodb:TransactWriteItems': TRANSACTED,
  'events:PutEvents': ['events:PutEvents'],
  's3:ListObjectsV2': ['s3:ListBucket'],
  'sqs:SendMessageBatch': ['sqs:SendMessage'],
}

export function actionsOf({ service, name }: Pick<Command, 'service' | 'name'>): readonly string[] {
  const action = `${PREFIX[service]}:${name}`
  return ACTIONS[action] ?? [action]
}

/** Files whose commands ride along in bundles that may not send them: file → why. */
const RIDE_ALONG: Record<string, string> = {
  'shared/table/table.ts': 'one class reads and writes; whether a function writes is told by what calls `commit`',
  'shared/limits/window.ts': 'part of every endpoint, acts where the row has a rate',
  'shared/http/authenticate.ts': 'part of every endpoint, acts where the row has an access',
  'shared/http/once.ts': 'part of every endpoint, acts after a commit',
  'shared/access/deployment-secret.ts': 'part of every endpoint, acts where the row has an access',
}

/** Rights without a command: action → why. */
const WITHOUT_COMMAND: Record<string, string> = {
  'kms:Decrypt': 'DynamoDB opens the encrypted table with it',
  'dynamodb:BatchWriteItem': 'no more than putting and deleting',
}

const actionsIn = (grants: readonly Grant[]) => new Set(grants.flatMap(({ actions }) => actions))

/** What the bundle calls and the role refuses. */
export function missing(closure: Closure, grants: readonly Grant[]): string[] {
  const allowed = actionsIn(grants)
  const commits = closure.committing.map((file) => ({ service: 'dynamodb', name: 'TransactWriteItems', file }))
  return [...closure.commands, ...commits]
    .filter(({ file }) => !(file in RIDE_ALONG))
    .flatMap((command) =>
      actionsOf(command)
        .filter((action) => !allowed.has(action))
        .map((action) => `${action} for ${command.file}`),
    )
}

/** What the role allows and nothing in the bundle calls. */
export function excess(closure: Closure, grants: readonly Grant[]): string[] {
  const called = new Set(closure.commands.flatMap(actionsOf))
  return [...actionsIn(grants)].filter((action) => !called.has(action) && !(action in WITHOUT_COMMAND))
}

/** Variables that are never set in AWS: name → why. */
const UNSET: Record<string, string> = {
  AWS_ACCESS_KEY_ID: 'set by Lambda',
  AWS_SECRET_ACCESS_KEY: 'set by Lambda',
  AWS_SESSION_TOKEN: 'set by Lambda',
  _X_AMZN_TRACE_ID: 'set by Lambda',
  LOG_LEVEL: 'has a default',
  ADDRESS_RATE_FACTOR: 'local runtime only',
  OUTBOUND_ALLOW_CIDRS: 'local runtime only',
  OUTBOUND_ALLOW_HTTP: 'local runtime only',
}

/** Variables that the bundle reads and its environment lacks. */
export const unset = (closure: Closure, environment: Record<string, string>): string[] =>
  [...closure.variables].filter((name) => !(name in environment) && !(name in UNSET))
