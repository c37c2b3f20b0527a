// Work that falls due: a sparse index by minute, so that the sweeper's cost follows what is due and a missed run loses
// nothing. The index only says where to look; what is really due is decided from the item itself.
import { iso } from '../lib/clock.ts'
import { sha256 } from '../lib/hash.ts'
import { key } from './entity.ts'

export const DUE_SHARDS = 8
const MINUTE = 60_000

/** Index keys of an item that falls due at an instant (ISO), and none when it no longer waits for anything. */
export function dueAt(at: string | undefined, id: string): { gsi2pk?: string; gsi2sk?: string } {
  if (!at) return {}
  const shard = (sha256(id)[0] ?? 0) % DUE_SHARDS
  return { gsi2pk: key('DUE', at.slice(0, 16), String(shard)), gsi2sk: key(at, id) }
}

/** The index partitions of one minute. */
export const duePartitions = (minute: number): string[] =>
  Array.from({ length: DUE_SHARDS }, (_, shard) => key('DUE', iso(minute).slice(0, 16), String(shard)))

/** The minutes from one instant to another, both included. */
export function minutesBetween(from: number, to: number): number[] {
  const first = Math.floor(from / MINUTE)
  return Array.from({ length: Math.floor(to / MINUTE) - first + 1 }, (_, i) => (first + i) * MINUTE)
}
