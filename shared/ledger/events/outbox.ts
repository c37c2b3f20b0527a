// The outbox: one item for each commit with all of its events, written in the same transaction. So an event cannot be lost,
// and no event exists without its commit. Events are deflated, because write units count per KB and events share many
// members. Their ids and timestamps are derived from the item and not stored.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { API_VERSION } from '../../base/catalog/event-types.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { ENVELOPE_BYTES_MAX, type Event } from './event.ts'
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { Logout, Mail } from './mail.ts'
import { entity, type Key, spaceKey } from '../../base/table/entity.ts'

export const SHARDS = 8
const KEPT_SECONDS = 3 * 86_400

export const OutboxItem = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Packed events, see `unpackEvents`. */
  events: z.string(),
  /** Time of the commit: the timestamp of all its events. */
  at: z.int(),
  /** Mails of the commit; the relay enqueues them. */
  mails: z.array(Mail).optional(),
  /** Logouts to send to OAuth clients; the relay enqueues them, too. */
  logouts: z.array(Logout).optional(),
})
export type OutboxItem = z.output<typeof OutboxItem>

export const outbox = entity({
  name: 'OUTBOX',
  unbound: 'proven by artifacts',
  schema: OutboxItem,
  key: ({ pk, sk }: Key) => ({ pk, sk }),
  ttl: ({ at }) => Math.floor(at / 1_000) + KEPT_SECONDS,
})

/** `ulid`: unique in the space. Its last, random character chooses the shard. */
export const outboxKey = (space: Space, ulid: string): Key => ({
  pk: spaceKey(space, 'OUT', String(ulid.charCodeAt(ulid.length - 1) % SHARDS)),
  sk: ulid,
})

/** An upper bound of the bytes that the envelope adds to an event. */
const ENVELOPE_OVERHEAD = 400

/** Repetitions are close to each other, so a small window suffices, and it makes the compressor's setup cheap. */
const SMALL_AND_FAST = { level: 1, memLevel: 3, windowBits: 11 }

/** The events of one commit, the API_VERSION that produced them, and its measures as they were stored. */
type PackedEvents = { version: string; events: Event[]; measures: unknown[] }

/** Base64 text that `unpackEvents` reads back without loss. Throws on an event whose envelope would be too large. */
export function packEvents(events: readonly Event[], measures: readonly Measure[] = []): string {
  const texts = events.map((event) => {
    const text = JSON.stringify(event)
    if (Buffer.byteLength(text) > ENVELOPE_BYTES_MAX - ENVELOPE_OVERHEAD) throw new Error(`${event.type} is too large`)
    return text
  })
  const stated = measures.length > 0 ? `,"measures":${JSON.stringify(measures)}` : ''
  const text = `{"version":"${API_VERSION}","events":[${texts.join(',')}]${stated}}`
  return deflateRawSync(text, SMALL_AND_FAST).toString('base64')
}

/** Throws on what `packEvents` did not write. Lone surrogates, which no signature could cover, become U+FFFD. */
export function unpackEvents(packed: string): PackedEvents {
  const text = inflateRawSync(Buffer.from(packed, 'base64')).toString()
  const read: Omit<PackedEvents, 'measures'> = JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
  return { measures: [], ...read }
}
