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

type RideAlong = { file: string; commands: RegExp; why: string; calledBy?: RegExp }

/** Commands that a bundle holds but sends only if another source of it matches `calledBy`; without one, by the row alone. */
const RIDE_ALONG: readonly RideAlong[] = [
  {
    file: 'shared/table/table.ts',
    commands: /^(Get|BatchGet|Query)/,
    calledBy: /\btable\.(get|getAll|query|keys|read|count)\(/,
    why: 'one class reads and writes',
  },
  {
    file: 'shared/table/table.ts',
    commands: /^Transact/,
    calledBy: /\btable\.commit\(/,
    why: 'one class reads and writes',
  },
  {
    file: 'shared/table/table.ts',
    commands: /^Update/,
    calledBy: /\btable\.update\(/,
    why: 'one class reads and writes',
  },
  { file: 'shared/evidence/signing-key.ts', commands: /^Sign$/, calledBy: /\bsign\(/, why: 'one key, two rights' },
  { file: 'shared/limits/window.ts', commands: /./, why: 'in every endpoint, acts where the row has a rate' },
  {
    file: 'shared/access/deployment-secret.ts',
    commands: /./,
    why: 'in every endpoint, acts where the row has an access',
  },
]

/** Parts of every endpoint: what they call is given by the row's access and rate, not by its uses. */
const IN_EVERY_ENDPOINT = /^shared\/(http|table|limits|access)\/|^shared\/tenants\/find\.ts$/

function ridesAlong({ name, file }: Command, { sources }: Closure): boolean {
  const rule = RIDE_ALONG.find((one) => one.file === file && one.commands.test(name))
  const callers = [...sources].filter(([other]) => other !== file && !IN_EVERY_ENDPOINT.test(other))
  return rule !== undefined && !callers.some(([, text]) => rule.calledBy?.test(text))
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
  return closure.commands
    .filter((command) => !ridesAlong(command, closure))
    .flatMap((command) =>
      actionsOf(command).flatMap((action) => (allowed.has(action) ? [] : [`${action} for ${command.file}`])),
    )
}

/** What the role allows and nothing in the bundle calls. */
export function excess(closure: Closure, grants: readonly Grant[]): string[] {
  const called = new Set(closure.commands.flatMap(actionsOf))
  return [...actionsIn(grants)].filter((action) => !called.has(action) && !(action in WITHOUT_COMMAND))
}

/** Variables that no stack sets: name → why. */
const UNSET: readonly [RegExp, string][] = [
  [/^_?(AWS|X_AMZN)_/, 'set by Lambda'],
  [/^(LOG_LEVEL|WEBHOOK_RETRY_BASE_SECONDS|WEBHOOK_FIRST_ATTEMPT)$/, 'has a default, changed by tests and locally'],
  [/^(ADDRESS_RATE_FACTOR|OUTBOUND_ALLOW_CIDRS|OUTBOUND_ALLOW_HTTP)$/, 'local runtime only'],
]

/** Variables that the bundle reads and its environment lacks. */
export const unset = ({ variables }: Closure, environment: Record<string, string>): string[] =>
  variables
    .filter(
      ({ name, file }) =>
        !(name in environment) &&
        !UNSET.some(([names]) => names.test(name)) &&
        !RIDE_ALONG.some((one) => one.file === file),
    )
    .map(({ name, file }) => `${name} for ${file}`)
