// Which events an endpoint never received: there was no delivery, or it and all of its replays failed. And the walk over the event
// log that finds them.
import type { Context } from '../../base/context.ts'
import { padded, type Stored } from '../../base/table/entity.ts'
import { deliveries, type Delivery } from './delivery.ts'
import { deliveryId } from './delivery-rules.ts'
import type { Envelope } from '../../ledger/events/event.ts'
import { type Chunk, chunks, envelopesOf, logHead } from '../../ledger/events/log.ts'

/** An event and its delivery to one endpoint, or the latest replay of that; undefined when there was none. */
export type EventOutcome = LoggedEvent & { delivery: Stored<Delivery> | undefined }

export const isLost = ({ delivery }: EventOutcome): boolean => delivery === undefined || delivery.status === 'failed'

/** In the order of the events. */
export async function outcomesOf(
  ctx: Context,
  endpointId: string,
  events: readonly LoggedEvent[],
): Promise<EventOutcome[]> {
  const ids = events.map(({ event }) => deliveryId(event.id, endpointId))
  const last = await lastOf(ctx, ids)
  return events.map((event, index) => ({ ...event, delivery: last.get(ids[index] ?? '') }))
}

type Latest = Map<string, Stored<Delivery>>

/** The latest delivery of each: a failed one is replaced by its latest replay to the same endpoint. */
export async function lastOf(ctx: Context, ids: readonly string[]): Promise<Latest> {
  const keys = ids.map((id) => ({ ...ctx.space, id }))
  const found = await ctx.table.getAll(deliveries, keys)
  const replays = found.map(({ status, replayed_as }) => (status === 'failed' ? replayed_as : undefined))
  const open = replays.filter((id) => id !== undefined)
  const later: Latest = open.length === 0 ? new Map() : await lastOf(ctx, open)
  return new Map(found.map((delivery, index) => [delivery.id, later.get(replays[index] ?? '') ?? delivery]))
}

export type LoggedEvent = { event: Envelope; position: number }

/** In ms, both included. */
export type Window = { since: number; until: number }

const DISORDER_MS = 3_600_000
const PAGE_CHUNKS = 200
/** More events than any commit holds, and so the furthest that a chunk reaches into the next partition. */
const CHUNK_EVENTS_MAX = 1_000

/**
 * Reads the event log between two instants, page by page, in the order of positions. Positions are assigned after the commit, so
 * times are only nearly in order: the walk reads an hour more on each side and filters by the time of the commit. Events that are
 * logged after the walk began may be left out.
 */
export async function* walkLog(ctx: Context, window: Window): AsyncGenerator<LoggedEvent[], void> {
  const { position: end } = await logHead(ctx)
  let next = await firstSince(ctx, window.since - DISORDER_MS, end)
  while (next <= end) {
    const page = await chunksFrom(ctx, next, PAGE_CHUNKS)
    const last = page.at(-1)
    if (!last) return
    yield page.filter(({ at }) => at >= window.since && at <= window.until).flatMap(loggedEvents)
    if (last.at > window.until + DISORDER_MS) return
    next = last.last + 1
  }
}

const loggedEvents = (chunk: Chunk): LoggedEvent[] =>
  envelopesOf(chunk).map((event, index) => ({ event, position: chunk.first + index }))

/** The first position whose commit is not before an instant, found by halving; `end + 1` when there is none. */
async function firstSince(ctx: Context, since: number, end: number): Promise<number> {
  let [low, high] = [1, end + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [chunk] = await chunksFrom(ctx, middle, 1)
    if (chunk && chunk.at >= since) high = middle
    else low = (chunk?.last ?? middle) + 1 // no chunk: the whole partition has expired
  }
  return low
}

/** Chunks that hold or follow a position, all of one partition. */
async function chunksFrom({ table, space }: Context, position: number, limit: number): Promise<Stored<Chunk>[]> {
  for (const place of [position, position + CHUNK_EVENTS_MAX]) {
    const { pk } = chunks.key({ ...space, last: place })
    const found = await table.query(chunks, { pk, from: padded(position), limit })
    if (found.length > 0) return found
  }
  return []
}
