// Work that falls due: a sparse index by hour, so the sweeper's cost grows with the due work only, and a missed run loses
// nothing. The index only names candidates; the item itself decides whether it is due.
import { HOUR_MS, iso, MINUTE_MS } from '../lib/clock.ts'
import { sha256 } from '../lib/json.ts'
import { key } from './entity.ts'

export const DUE_SHARDS = 8

/** Index keys of an item that falls due at an instant (ISO); none when nothing is due. */
export function dueAt(at: string | undefined, id: string): { gsi2pk?: string; gsi2sk?: string } {
  if (!at) return {}
  const shard = (sha256(id)[0] ?? 0) % DUE_SHARDS
  return { gsi2pk: key('DUE', at.slice(0, 13), String(shard)), gsi2sk: key(at, id) }
}

/** So long after its end a minute is counted: writes that began in it are over by then. */
export const SETTLED_MS = 10_000

/** Index keys of an item that adds to what a space counts of the minute of `at` (ms): due once that minute is over. */
export const countedAt = ({ tenant_id, mode }: { tenant_id: string; mode: string }, at: number) =>
  dueAt(iso((Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS + SETTLED_MS), `${tenant_id}.${mode}`)

/** The instant (ms) in the sort key of a due item. */
export const timeOfDue = (sort: string): number => Date.parse(sort.slice(0, 24))

/** The index partitions of every hour from one instant (ms) to another, both included. */
export function duePartitions(from: number, to: number): string[] {
  const first = Math.floor(from / HOUR_MS)
  const hours = Array.from({ length: Math.floor(to / HOUR_MS) - first + 1 }, (_, i) => iso((first + i) * HOUR_MS))
  return hours.flatMap((hour) =>
    Array.from({ length: DUE_SHARDS }, (_, shard) => key('DUE', hour.slice(0, 13), String(shard))),
  )
}

const MINUTES_PER_DAY = 1_440

/**
 * The minute of the day in which a space does what it does once a day; what it does once an hour falls into the same minute
 * of each hour. Spaces are spread evenly, so no minute has much to do.
 */
export const ownMinute = ({ tenant_id, mode }: { tenant_id: string; mode: string }): number =>
  sha256(`${tenant_id}#${mode}`).readUInt16BE(0) % MINUTES_PER_DAY
