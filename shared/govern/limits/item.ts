// The item of a counter. It is written by an update of its own, because it sets attributes only where they do not exist yet.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Space } from '../../base/context.ts'
import { additionWrite } from '../../base/kernel/count.ts'
import { env } from '../../base/lib/runtime.ts'
import { type Key, key, spaceKey, toAttributes, type Write } from '../../base/table/entity.ts'
import type { Counter } from './counters.ts'
import { bucketAt, outdated, roomOf, type View } from './window.ts'
import type { Limit } from '../governance/rule-terms.ts'

/** What names the item of a counter. */
export type CounterId = Pick<Counter, 'name' | 'hash'> & { shard: string }

/** An amount that was added to a counter, and its bucket. */
export type Added = CounterId & { n: bigint; bucket: number }

export type StoredView = View & { _v: bigint }

const MARK = /^m([0-9a-z]+)$/
const DAY_S = 86_400
export const FIRST_SHARD = '00'

const markName = (bucket: number) => `m${bucket.toString(36)}`
const numberOf = (value: AttributeValue | undefined) => BigInt(value?.N ?? 0)

export const counterItems = {
  key: ({ tenant_id, mode, name, hash, shard }: Space & CounterId): Key => ({
    pk: spaceKey({ tenant_id, mode }, 'LIMIT', name, hash),
    sk: key('LIMIT', shard),
  }),
  decode: (item: Record<string, AttributeValue>): StoredView => ({
    t: numberOf(item.t),
    e: numberOf(item.e),
    _v: numberOf(item._v),
    marks: new Map(
      Object.entries(item).flatMap(([name, value]) => {
        const bucket = MARK.exec(name)?.[1]
        return bucket === undefined ? [] : [[Number.parseInt(bucket, 36), numberOf(value)] as const]
      }),
    ),
  }),
}

const expiry = (windowMs: number, now: number) => Math.floor((now + 2 * windowMs) / 1_000) + DAY_S

/** Adds to a counter; `conditional`: only while that keeps it within its limit. */
export function countWrite(
  space: Space,
  counter: Counter & { shard: string },
  { view, now, conditional }: { view: View; now: number; conditional: boolean },
): Write {
  const { n, windowMs } = counter
  const old = outdated(view, windowMs, now).map(markName)
  const write = additionWrite({
    at: counterItems.key({ ...space, ...counter }),
    add: [
      ['t', n],
      ['_v', 1],
    ],
    set: { _ttl: expiry(windowMs, now), _type: 'LIMIT' },
    first: { e: 0 },
    before: { [markName(bucketAt(windowMs, now))]: 't' },
    remove: old,
    ...(conditional && {
      condition: {
        expression: 'attribute_not_exists(#t) OR #t <= :room AND #e = :e',
        names: { '#t': 't', '#e': 'e' },
        values: { ':room': roomOf(view, counter, now), ':e': view.e },
      },
    }),
  })
  return { ...write, contended: true }
}

/** Takes from a counter, unless it has changed since it was read. */
export function takeWrite(space: Space, id: CounterId, was: StoredView, next: View): Write {
  const changed = [...next.marks].filter(([bucket, mark]) => was.marks.get(bucket) !== mark)
  const sets = ['#t = :t', '#e = :e', ...changed.map((_, index) => `#m${index} = :m${index}`)]
  return {
    item: {
      Update: {
        TableName: env('TABLE_NAME'),
        Key: toAttributes(counterItems.key({ ...space, ...id })),
        UpdateExpression: `SET ${sets.join(', ')} ADD #v :one`,
        ConditionExpression: '#v = :was',
        ExpressionAttributeNames: {
          '#t': 't',
          '#e': 'e',
          '#v': '_v',
          ...Object.fromEntries(changed.map(([bucket], index) => [`#m${index}`, markName(bucket)])),
        },
        ExpressionAttributeValues: {
          ':t': { N: String(next.t) },
          ':e': { N: String(next.e) },
          ':one': { N: '1' },
          ':was': { N: String(was._v) },
          ...Object.fromEntries(changed.map(([, mark], index) => [`:m${index}`, { N: String(mark) }])),
        },
      },
    },
  }
}

/** One counter. `name`: the policy, with the version that its count began with. */
export type LimitUse = Added & { give_back: ReadonlySet<string> }

const LETTERS: Record<string, string> = { failed: 'f', undone: 'u' }

/** The note of an execution on the counters that may give it back, as one text, because each byte of an execution is paid for. */
export function packLimitUse(all: readonly (Added & Pick<Limit, 'give_back'>)[]): string | undefined {
  if (all.length === 0) return undefined
  return all
    .map(({ name, hash, shard, n, bucket, give_back }) =>
      [
        name,
        Buffer.from(hash, 'hex').toString('base64url'),
        shard,
        bucket.toString(36),
        n.toString(36),
        give_back.map((outcome) => LETTERS[outcome]).join(''),
      ].join('/'),
    )
    .join(' ')
}

export const unpackLimitUse = (text: string | undefined): LimitUse[] =>
  (text ?? '')
    .split(' ')
    .filter((one) => one !== '')
    .map((one) => {
      const [name = '', hash = '', shard = '', bucket = '', n = '', letters = ''] = one.split('/')
      return {
        name,
        hash: Buffer.from(hash, 'base64url').toString('hex'),
        shard,
        bucket: Number.parseInt(bucket, 36),
        n: fromBase36(n),
        give_back: new Set(Object.keys(LETTERS).filter((outcome) => letters.includes(LETTERS[outcome] ?? '?'))),
      }
    })

/** Exact, where Number.parseInt is not. */
function fromBase36(text: string): bigint {
  let value = 0n
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}
