// Sliding counters of the rules about sign-ins (decision 0028). Every occurrence is an attribute of its window's item, so
// that concurrent ones are all counted and a repeated one is counted once.
import { MINUTE_MS } from '../../base/lib/clock.ts'
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import * as z from 'zod'
import { sha256 } from '../../base/lib/json.ts'
import { entity, key, toAttributes } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

/** What is counted, over how long: failures and lifts by address, accounts by source, codes by account. */
export const SPANS = {
  failures: 15 * MINUTE_MS,
  accounts: 10 * MINUTE_MS,
  codes: 15 * MINUTE_MS,
  lifts: 1_440 * MINUTE_MS,
} as const
export type Counted = keyof typeof SPANS

/** `of`: the subject of the count, stored as a hash. Names of occurrences must not reveal anything either. */
export type TallyKey = { counted: Counted; of: string }

/** Occurrences by name with their instants (ms); members of other types are bookkeeping. */
const Window = z.record(z.string(), z.unknown())
const PREFIX = 'n:'

export const tallies = entity({
  name: 'TALLY',
  unbound: 'bounded',
  schema: Window,
  key: ({ counted, of, start }: TallyKey & { start: number }) => ({
    pk: key('COUNTER', counted, sha256(of).toString('base64url'), String(start)),
    sk: 'C',
  }),
})

/** The start of an instant's window, a multiple of the span. The last span always lies in two windows. */
const startOf = (counted: Counted, at: number) => at - (at % SPANS[counted])

export const windowsOf = (of: TallyKey, now: number) => {
  const start = startOf(of.counted, now)
  return [
    { ...of, start },
    { ...of, start: start - SPANS[of.counted] },
  ]
}

/** The instants (ms) of the occurrences within the span, the latest last. */
export async function recentOccurrences(table: Table, of: TallyKey): Promise<number[]> {
  const now = table.clock.now()
  const windows = await Promise.all(windowsOf(of, now).map((each) => table.get(tallies, each)))
  return instants(windows, now - SPANS[of.counted])
}

/** Counts one occurrence and returns the instants of all, this one included. */
export async function count(table: Table, of: TallyKey, name: string): Promise<number[]> {
  const now = table.clock.now()
  const [present, former] = windowsOf(of, now)
  if (!present || !former) throw new Error('a window is missing')
  const [window, before] = await Promise.all([note(table, present, name, now), table.get(tallies, former)])
  return instants([window, before], now - SPANS[of.counted])
}

async function note(table: Table, window: TallyKey & { start: number }, name: string, now: number) {
  const { Attributes = {} } = await table.client.send(
    new UpdateItemCommand({
      TableName: table.name,
      Key: toAttributes(tallies.key(window)),
      UpdateExpression: 'SET #name = :now, #ttl = :ttl',
      ExpressionAttributeNames: { '#name': `${PREFIX}${name}`, '#ttl': '_ttl' },
      ExpressionAttributeValues: toAttributes({
        ':now': now,
        ':ttl': Math.ceil((window.start + 3 * SPANS[window.counted]) / 1_000),
      }),
      ReturnValues: 'ALL_NEW',
    }),
  )
  return unmarshall(Attributes)
}

/** Each name once, at its last instant. */
function instants(windows: readonly (Record<string, unknown> | undefined)[], after: number): number[] {
  const last = new Map<string, number>()
  for (const window of windows) {
    for (const [name, at] of Object.entries(window ?? {})) {
      if (!name.startsWith(PREFIX) || typeof at !== 'number' || at <= after) continue
      last.set(name, Math.max(at, last.get(name) ?? 0))
    }
  }
  return [...last.values()].toSorted((a, b) => a - b)
}
