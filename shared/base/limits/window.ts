// Fixed windows of a second, a minute and a day, counted by one conditional update of one item per minute, which is exact
// under any concurrency. When the counter cannot be reached, requests pass: its outage must not become one of the API.
import { ConditionalCheckFailedException, QueryCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import * as z from 'zod'
import type { Space } from '../context.ts'
import { addNow } from '../kernel/count.ts'
import { iso } from '../lib/clock.ts'
import { warn } from '../lib/log.ts'
import { memory } from '../lib/memory.ts'
import { countedAt } from '../table/due.ts'
import { entity, type Key, spaceKey, spaceOf, toAttributes } from '../table/entity.ts'
import type { Table } from '../table/table.ts'
import { type DailyFigures, type Figures, UNLIMITED } from './plans.ts'

/** `per`: which window it is about. `reset` is a Unix second. `retryAfterSeconds` is set when the request is refused. */
export type Verdict = {
  per: keyof typeof SECONDS_OF
  limit: number
  remaining: number
  reset: number
  retryAfterSeconds?: number
}

type Minute = { d: number; m: number; s: number }

const DAY = 86_400
export const SECONDS_OF = { second: 1, minute: 60, day: DAY } as const
/** Caches of this container: the day's total at the start of the current minute, and exhausted windows. */
const carried = memory<{ minute: string; total: number }>()
const spent = memory<{ verdict: Verdict; of: Figures }>()

/**
 * Counts one request and answers whether it may pass. An exhausted window is cached until it ends or the limits change, so a client that
 * keeps sending causes no writes. While the counter cannot be reached, every request passes.
 */
export async function takeOne(table: Table, pk: string, figures: Figures): Promise<Verdict> {
  const now = table.clock.now()
  const second = Math.floor(now / 1_000)
  const known = spent.get(pk)
  if (known && known.verdict.reset > second && sameFigures(known.of, figures)) {
    return { ...known.verdict, retryAfterSeconds: known.verdict.reset - second }
  }
  spent.delete(pk)
  try {
    const verdict = await count(table, pk, figures, now)
    if (verdict.retryAfterSeconds) spent.set(pk, { verdict, of: figures })
    return verdict
  } catch (error) {
    warn('rate_counter_unavailable', error)
    return untouched(figures, now)
  }
}

const sameFigures = (a: Figures, b: Figures): boolean =>
  a.perMinute === b.perMinute && a.perSecond === b.perSecond && a.perDay === b.perDay

/** The verdict for a full window, of which nothing was used. */
export const untouched = (figures: Figures, now: number): Verdict => ({
  per: 'minute',
  limit: figures.perMinute,
  remaining: figures.perMinute,
  reset: (Math.floor(now / 60_000) + 1) * 60,
})

const BELOW_LIMITS = '(attribute_not_exists(#m) OR #m <= :mMax) AND (attribute_not_exists(#s) OR #s <= :sMax)'

async function count(table: Table, pk: string, figures: Figures, now: number): Promise<Verdict> {
  const { sk, second } = placeOf(now)
  const { perDay = UNLIMITED } = figures
  const space = spaceOf(pk)
  const carry = figures.perDay === undefined ? 0 : await dayTotal(table, pk, sk)
  // The first request of a minute is compared with the total of the day before it, every later one with the item.
  const day = carry < perDay ? ' AND (attribute_not_exists(#d) OR #d <= :dMax)' : ' AND #d <= :dMax'
  try {
    const counted = await addNow(table, {
      at: { pk, sk },
      add: ['d', 'm', second].map((name) => [name, 1]),
      from: { d: carry },
      set: { _ttl: Math.floor(now / 1_000) + 2 * DAY },
      first: space && countedAt(space, now), // windows of addresses belong to no tenant
      condition: {
        expression: `${BELOW_LIMITS}${day}`,
        names: { '#d': 'd', '#m': 'm', '#s': second },
        values: { ':mMax': figures.perMinute - 1, ':sMax': figures.perSecond - 1, ':dMax': perDay - 1 },
      },
    })
    const { m } = read(unmarshall(counted), second)
    return { ...untouched(figures, now), remaining: Math.max(0, figures.perMinute - m) }
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    return refusal(read(error.Item && unmarshall(error.Item), second, carry), figures, now)
  }
}

export const rateWindowsKey = (space: Space): string => spaceKey(space, 'RL')

/** Sort key of the minute that begins at, or holds, an instant (ms). */
export const windowMinute = (at: number): string => placeOf(at).sk

/** A tenant's minutes; `m` counts its accepted requests. */
export const rateWindows = entity({
  name: 'RL',
  unbound: 'bounded',
  schema: z.object({ sk: z.string(), m: z.int().default(0) }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** Sort key of the minute's item, and the attribute of the second in it. */
function placeOf(now: number): { sk: string; second: string } {
  const stamp = iso(now)
  return { sk: `${stamp.slice(0, 10)}#${stamp.slice(11, 16)}`, second: `s${stamp.slice(17, 19)}` }
}

export const read = (item: Record<string, unknown> = {}, second: string, carry = 0): Minute => ({
  d: Number(item.d ?? carry),
  m: Number(item.m ?? 0),
  s: Number(item[second] ?? 0),
})

function refusal({ d, m }: Minute, figures: Figures, now: number): Verdict {
  const { perDay = UNLIMITED } = figures
  const at = Math.floor(now / 1_000)
  const window: Pick<Verdict, 'per' | 'limit' | 'reset'> =
    d >= perDay
      ? { per: 'day', limit: perDay, reset: (Math.floor(at / DAY) + 1) * DAY }
      : m >= figures.perMinute
        ? { per: 'minute', limit: figures.perMinute, reset: (Math.floor(at / 60) + 1) * 60 }
        : { per: 'second', limit: figures.perSecond, reset: at + 1 }
  return { ...window, remaining: 0, retryAfterSeconds: Math.max(1, window.reset - at) }
}

/** The day's total before this minute, read once per minute and container. */
async function dayTotal(table: Table, pk: string, sk: string): Promise<number> {
  const known = carried.get(pk)
  if (known?.minute === sk) return known.total
  const total = Number((await lastMinute(table, pk, sk)).d ?? 0)
  carried.set(pk, { minute: sk, total })
  return total
}

/** The item of the day's last minute with a request, up to the given minute; else an empty one. */
async function lastMinute(table: Table, pk: string, sk: string): Promise<Record<string, unknown>> {
  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :day AND :minute',
      ExpressionAttributeValues: toAttributes({ ':pk': pk, ':day': `${sk.slice(0, 10)}#`, ':minute': sk }),
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  )
  return unmarshall(Items?.[0] ?? {})
}

/** `reset` is the Unix second at which the window ends. */
export type Usage = { limit: number; used: number; remaining: number; reset: number }

export type Windows = { second: Usage; minute: Usage; day: Usage }

/**
 * How much of a tenant's windows is used, without counting a request. `pk` is the partition of the windows. An unlimited day has the limit
 * `UNLIMITED`.
 */
export async function usageOf(table: Table, pk: string, figures: DailyFigures): Promise<Windows> {
  const now = table.clock.now()
  const { sk, second } = placeOf(now)
  const item = await lastMinute(table, pk, sk)
  const { d, m, s } = item.sk === sk ? read(item, second) : { d: Number(item.d ?? 0), m: 0, s: 0 }
  const at = Math.floor(now / 1_000)
  return {
    second: usage(figures.perSecond, s, at + 1),
    minute: usage(figures.perMinute, m, (Math.floor(at / 60) + 1) * 60),
    day: usage(figures.perDay, d, (Math.floor(at / DAY) + 1) * DAY),
  }
}

const usage = (limit: number, used: number, reset: number): Usage => ({
  limit,
  used,
  remaining: limit === UNLIMITED ? UNLIMITED : Math.max(0, limit - used),
  reset,
})
