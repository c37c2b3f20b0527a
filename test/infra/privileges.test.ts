import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { byArea, SURFACE } from '../../infra/surface.ts'
import { environment, grants, type Row } from '../../infra/uses.ts'
import type { Use } from '../../shared/base/wire/route.ts'
import { synthesise } from './support/assembly.ts'
import { type Calls, callsOfAll, hasCommand } from './support/calls.ts'
import { ROOT } from './support/closures.ts'
import { resolvedPlatform } from './support/platform.ts'
import { asArray, asObject, asText } from './support/resolve.ts'
import { excess, missing, unset } from './support/privileges.ts'

const assembly = synthesise()
const platform = resolvedPlatform(assembly)
const rows = [...byArea(SURFACE).values()].flat()
const all = await callsOfAll(rows)
const calls = ({ id }: Row): Calls => {
  const found = all.get(id)
  if (!found) throw new Error(`no calls of ${id}`)
  return found
}
const named = rows.map((row) => [row.id, row] as const)

describe.each(named)('%s', (_, row) => {
  test('its role allows what its function calls', () => {
    expect(missing(calls(row), grants(row, platform))).toEqual([])
  })

  test('its role allows nothing that its function does not call', () => {
    expect(excess(calls(row), grants(row, platform))).toEqual([])
  })

  test('every variable that its function reads is set', () => {
    expect(unset(calls(row), environment(row, platform))).toEqual([])
  })

  test('it can tell items that the service has bound, if it reads any', () => {
    const readsTable = row.uses.some((use) => 'table' in use) && row.area !== 'health' // which looks for no people and counts nodes only
    const readsBound = readsTable && calls(row).sources.has('shared/base/table/bound.ts')
    if (readsBound) expect(environment(row, platform)).toHaveProperty('SECRET_ID')
  })

  test('a row that leaves an artifact may write', () => {
    const records = typeof row.evidence === 'string' || Array.isArray(row.evidence)
    if (records) expect(row.uses).toContainEqual(expect.objectContaining({ table: 'write' }))
  })
})

const row = (id: string): Row => {
  const found = rows.find((one) => one.id === id)
  if (!found) throw new Error(`no row ${id}`)
  return found
}

/** The same row without one of its uses. */
const without = (id: string, left: (use: Use) => boolean): Row => ({ ...row(id), uses: row(id).uses.filter(left) })

describe('planted faults are found', () => {
  test.each([
    ['workers-sign-checkpoint', 'kms:Sign', (use: Use) => !('sign' in use)],
    ['workers-sign-checkpoint', 's3:PutObject', (use: Use) => !('bucket' in use)],
    ['workers-relay-events', 'events:PutEvents', (use: Use) => !('bus' in use)],
    ['workers-fan-out-webhook', 'kms:Decrypt', (use: Use) => 'queue' in use],
    ['protocol-execute', 'kms:GenerateDataKey', (use: Use) => !('seal' in use)],
    ['protocol-execute', 'dynamodb:PutItem', (use: Use) => !('table' in use) && !('seal' in use)],
  ] as const)('%s without its right to %s', (id, action, left) => {
    const broken = without(id, left)

    expect(missing(calls(broken), grants(broken, platform)).join()).toContain(action)
  })

  test('a row that asks for more than its function calls', () => {
    const greedy: Row = { ...row('health-live'), uses: [{ sign: true }, { queue: 'checkpoints' }] }

    expect(excess(calls(greedy), grants(greedy, platform))).toEqual(
      expect.arrayContaining(['kms:Sign', 'sqs:SendMessage']),
    )
  })

  test('a variable that nobody sets', () => {
    const { KEYS_TABLE_NAME: _, ...rest } = environment(row('protocol-execute'), platform)

    expect(unset(calls(row('protocol-execute')), rest).join()).toContain('KEYS_TABLE_NAME')
  })
})

/** Actions without an operation of that name in the SDK packages at hand: action → why it is right. */
const NOT_AN_OPERATION: Record<string, string> = {
  'dynamodb:ConditionCheckItem': 'the right to a condition in TransactWriteItems',
  'dynamodb:DescribeStream': 'operation of the streams API',
  'dynamodb:GetRecords': 'operation of the streams API',
  'dynamodb:GetShardIterator': 'operation of the streams API',
  'dynamodb:ListStreams': 'operation of the streams API',
  'kms:ReEncryptFrom': 'half of the right to ReEncrypt',
  'kms:ReEncryptTo': 'half of the right to ReEncrypt',
  's3:GetBucketObjectLockConfiguration': 'the right to GetObjectLockConfiguration',
  's3:ListBucket': 'the right to ListObjectsV2',
}

const PACKAGE: Record<string, string> = {
  'cognito-idp': 'cognito-identity-provider',
  events: 'eventbridge',
  secretsmanager: 'secrets-manager',
  ses: 'sesv2',
}
/** Services that no function of ours calls through an SDK. */
const ELSEWHERE = /^(logs|lambda|states|sts):/

const isOperation = (action: string) => {
  const [service = '', name = ''] = action.split(':')
  return hasCommand(PACKAGE[service] ?? service, name)
}

describe('IAM actions', () => {
  const documents = assembly
    .all()
    .flatMap(({ properties }) => [
      ...asArray(properties.Policies).map((policy) => asObject(policy).PolicyDocument),
      properties.PolicyDocument,
    ])
  const actions = documents
    .flatMap((document) => asArray(asObject(document).Statement))
    .map(asObject)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action }) => (Array.isArray(Action) ? Action : [Action ?? null]).map(asText))

  test('are spelt as the operations of the SDK', () => {
    const unknown = new Set(
      actions.filter((action) => !ELSEWHERE.test(action) && !isOperation(action) && !(action in NOT_AN_OPERATION)),
    )

    expect([...unknown]).toEqual([])
    expect(isOperation('dynamodb:PutItems')).toBe(false)
  })

  test('are never wildcards', () => {
    expect(actions.filter((action) => action.includes('*'))).toEqual([])
  })

  test('cover every kind of item that a transaction is made of', () => {
    const entitySource = readFileSync(join(ROOT, 'shared/base/table/entity.ts'), 'utf8')
    const kinds = [...entitySource.matchAll(/\b(Put|Update|Delete|ConditionCheck): (?:put\(|\{)/g)].map(
      (match) => match[1],
    )

    expect(new Set(kinds)).toEqual(new Set(['Put', 'Update', 'Delete', 'ConditionCheck']))
  })
})
