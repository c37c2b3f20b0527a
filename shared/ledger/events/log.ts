// The event log of one space: its head and chunks, reads by position, and how far the relay is behind. Positions are dense
// and become visible in order, unlike the commits themselves, so a reader that follows positions misses no event.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { countedAt } from '../../base/table/due.ts'
import { entity, type Key, padded, spaceKey, type Stored } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { type Envelope, envelope } from './event.ts'
import { SHARDS, unpackEvents } from './outbox.ts'
import { ulid } from '../../base/lib/ids.ts'

/** How long an event can be read and replayed. */
export const RETENTION_DAYS = 30

const PARTITION_POSITIONS = 100_000
/** More events than any commit has. A chunk that starts this close to a partition's end may lie in the next partition. */
const CROSSING = 5_000

export const LogHead = z.object({
  ...spaceMembers,
  /** Of the last event; the first one has position 1. */
  position: z.int(),
  /** Time of the newest commit. */
  at: z.int().optional(),
  /** Totals of long lists, by collection: each submitted action is an execution. */
  counts: z.record(z.string(), z.int()),
})
export type LogHead = z.output<typeof LogHead>

export const logHeads = entity({
  name: 'LOGHEAD',
  unbound: 'bounded',
  schema: LogHead,
  key: (space: Space) => ({ pk: spaceKey(space, 'LOG'), sk: 'HEAD' }),
  index: (head) => (head.at === undefined ? {} : countedAt(head, head.at)),
})

/** The events of one commit, packed as in the outbox. */
export const Chunk = z.object({
  ...spaceMembers,
  first: z.int(),
  last: z.int(),
  /** Time of the commit. */
  at: z.int(),
  events: z.string(),
})
export type Chunk = z.output<typeof Chunk>

/** Keyed by the last position, so the first chunk at or after a position holds it. */
export const chunks = entity({
  name: 'LOGCHUNK',
  unbound: 'bounded',
  schema: Chunk,
  key: (of: Space & { last: number }) => ({ pk: partitionOf(of, of.last), sk: padded(of.last) }),
  ttl: ({ at }) => Math.floor(at / 1_000) + RETENTION_DAYS * 86_400,
})

const partitionOf = (space: Space, position: number) =>
  spaceKey(space, 'LOG', String(Math.floor(position / PARTITION_POSITIONS)))

/** The head of the log. Nothing is stored before its first event. */
export async function logHead({ table, space }: Context): Promise<Stored<LogHead>> {
  return (await table.get(logHeads, space)) ?? { ...space, position: 0, counts: {}, _v: 0 }
}

/** The event at a position; undefined when it does not exist or has expired. */
export async function eventAt(ctx: Context, position: number): Promise<Envelope | undefined> {
  const chunk = await chunkAt(ctx, position)
  if (!chunk || chunk.at < ctx.now() - RETENTION_DAYS * 86_400_000) return undefined
  return envelopesOf(chunk)[position - chunk.first]
}

/** The chunk that holds a position; undefined when it does not exist or has expired. */
async function chunkAt(ctx: Context, position: number): Promise<Chunk | undefined> {
  const [chunk] = await chunksFrom(ctx, position, 1)
  return chunk && chunk.first <= position ? chunk : undefined
}

/** Chunks of one partition, from the one that holds the position, at most `limit`. */
export async function chunksFrom({ table, space }: Context, position: number, limit: number): Promise<Chunk[]> {
  const from = padded(position)
  const pk = partitionOf(space, position)
  const found = await table.query(chunks, { pk, from, limit })
  const ahead = partitionOf(space, position + CROSSING)
  return found.length > 0 || ahead === pk ? found : table.query(chunks, { pk: ahead, from, limit })
}

/** The envelopes of a chunk, in order of their positions. */
export function envelopesOf(chunk: Chunk): Envelope[] {
  const { version, events } = unpackEvents(chunk.events)
  return events.map((event) => envelope(chunk, version, chunk.at, event))
}

export type Located = { position: number; event: Envelope }

/** Maximum of commits per read. Each has an event, so a read of fewer events has most likely reached the end. */
export const PAGE_COMMITS = 50

/**
 * The next events after a position, in their order; none when there are none yet. A gap means that a commit is not visible
 * yet. Reading stops at the gap and continues later, so no event is skipped.
 */
export async function eventsAfter(ctx: Context, position: number): Promise<Located[]> {
  const found: Located[] = []
  let next = position + 1
  for (const chunk of await chunksFrom(ctx, next, PAGE_COMMITS)) {
    if (chunk.first > next) break
    const known = next - chunk.first
    for (const event of envelopesOf(chunk).slice(known)) {
      found.push({ position: next, event })
      next += 1
    }
  }
  return found
}

/**
 * The first position that is still retained; one past `last` when there is none. `from` must be at or before it. One read
 * suffices when nothing has expired since `from`; otherwise it is a binary search.
 */
export async function oldestRetained(ctx: Context, last: number, from: number): Promise<number> {
  if (from > last || (await isRetained(ctx, from))) return from
  let [expired, retained] = [from, last + 1]
  while (retained - expired > 1) {
    const middle = Math.floor((expired + retained) / 2)
    if (await isRetained(ctx, middle)) retained = middle
    else expired = middle
  }
  return retained
}

async function isRetained(ctx: Context, position: number): Promise<boolean> {
  const chunk = await chunkAt(ctx, position)
  return chunk !== undefined && chunk.at >= ctx.now() - RETENTION_DAYS * 86_400_000
}

/** Items that are read from each shard: the newest one of the log, and the one after it. */
const LOOKED_AT = 2
const TIME_LETTERS = 10

const relayed = entity({
  name: 'OUTBOX',
  unbound: 'proven by artifacts',
  schema: z.object({ at: z.int(), position: z.int().optional() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** How long (ms) the oldest commit has waited that is newer than the log and not in it; 0 when none waits. */
export async function relayLag(ctx: Context): Promise<number> {
  const { at = 0 } = await logHead(ctx)
  const from = ulid(at, ctx.random).slice(0, TIME_LETTERS)
  const shards = Array.from({ length: SHARDS }, (_, shard) =>
    ctx.table.query(relayed, { pk: spaceKey(ctx.space, 'OUT', String(shard)), from, limit: LOOKED_AT }),
  )
  const waiting = (await Promise.all(shards)).flat().filter(({ position }) => position === undefined)
  return Math.max(0, ...waiting.map((item) => ctx.now() - item.at))
}
