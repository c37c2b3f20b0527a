// Compares an action with the totals of its counters, by what the container remembers or by one read.
import type { Context } from '../../base/context.ts'
import { type Key, nameOf } from '../../base/table/entity.ts'
import type { Truth } from '../governance/decide/evaluation.ts'
import { type Counter, type Plan, SHARDS } from './counters.ts'
import { type Added, type CounterId, counterItems, FIRST_SHARD } from './item.ts'
import { EMPTY, isOver, see, seen, type View } from './window.ts'

/** A counter with one of its items. */
export type Weighed = Counter & { shard: string; view: View; over: boolean }

/** What this request has reserved already, by counter. */
export type Reserved = Map<string, Added>

export type Scales = { over: Map<string, Truth>; weighed: Weighed[] }

const TRIED = 3

export const counterName = ({ name, hash }: Pick<CounterId, 'name' | 'hash'>): string => `${name}/${hash}`

/** `fresh`: by what the table has now. */
export async function weigh(ctx: Context, plans: readonly Plan[], reserved: Reserved, fresh = false): Promise<Scales> {
  const places = plans.flatMap(({ counters = [] }) => counters.map((counter) => placeOf(ctx, counter, reserved)))
  const views = await readViews(ctx, places, fresh)
  const weighed = places.map((place) => lightest(ctx, place, views))
  const over = new Map<string, Truth>()
  for (const { policy_id, counters } of plans)
    over.set(policy_id, counters && weighed.some((one) => one.policy_id === policy_id && one.over))
  return { over, weighed }
}

/** Where a share may be counted, in the order of trial. */
type Place = { counter: Counter; shards: string[]; keys: Key[]; isReserved: boolean }

function placeOf(ctx: Context, counter: Counter, reserved: Reserved): Place {
  const known = reserved.get(counterName(counter))?.shard
  const shards = known === undefined ? shardsOf(ctx, counter) : [known]
  const keys = shards.map((shard) => counterItems.key({ ...ctx.space, ...counter, shard }))
  return { counter, shards, keys, isReserved: known !== undefined }
}

/** One item by chance, and two others where that is full. */
function shardsOf(ctx: Context, { shards }: Counter): string[] {
  if (shards === 1) return [FIRST_SHARD]
  const first = ctx.random(1)[0] ?? 0
  return Array.from({ length: TRIED }, (_, index) => shardName((first + index * 5) % shards))
}

export const shardName = (index: number): string => index.toString(16).padStart(2, '0')

/** Views by the name of their item: known ones where they suffice, else read in one call. */
async function readViews(ctx: Context, places: readonly Place[], fresh: boolean): Promise<Map<string, View>> {
  const missing = places.filter((place) => !suffices(ctx, place, fresh)).flatMap(({ keys }) => keys)
  const items = await Promise.all(missing.map((at) => ctx.table.get(keyed, at)))
  for (const [index, at] of missing.entries()) see(ctx, at, items[index] ?? EMPTY)
  return new Map(
    places.flatMap(({ keys, counter }) =>
      keys.map((at) => [nameOf(at), seen(ctx, at, counter.windowMs)?.view ?? EMPTY] as const),
    ),
  )
}

const keyed = { ...counterItems, key: (at: Key) => at }

/** A known view that is full must be read again: others may have given back, and the window has moved. */
function suffices(ctx: Context, { counter, shards, keys: [at], isReserved }: Place, fresh: boolean): boolean {
  if (isReserved) return true
  const known = at && seen(ctx, at, counter.windowMs)
  if (!known || (fresh && !known.fresh)) return false
  return !isOver(known.view, shareOf(counter, shards[0]), ctx.now()) || (known.fresh && shards.length === 1)
}

function lightest(ctx: Context, { counter, shards, keys, isReserved }: Place, views: Map<string, View>): Weighed {
  const all = shards.map((shard, index) => {
    const at = keys[index]
    const view = (at && views.get(nameOf(at))) ?? EMPTY
    const share = shareOf(counter, shard)
    return { ...counter, ...share, shard, view, over: !isReserved && isOver(view, share, ctx.now()) }
  })
  const found = all.find(({ over }) => !over) ?? all[0]
  if (!found) throw new Error('a counter without items')
  return found
}

/** The part of a limit that is for one item; the first has the rest. */
export function shareOf<C extends Counter>(counter: C, shard = FIRST_SHARD): C {
  if (counter.shards === 1) return counter
  const part = counter.max / BigInt(SHARDS)
  return { ...counter, max: shard === FIRST_SHARD ? counter.max - part * BigInt(SHARDS - 1) : part }
}
