// Packs all events of one commit into one outbox item. They are deflated, because write units count per KB and events share
// many members. Event ids and timestamps are derived from the item and not stored.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { API_VERSION } from '../../base/catalog/event-types.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { ENVELOPE_BYTES_MAX, type Event } from './event.ts'

/** An upper bound of the bytes that the envelope adds to an event. */
const ENVELOPE_OVERHEAD = 400

/** Repetitions are close to each other, so a small window suffices, and it makes the compressor's setup cheap. */
const SMALL_AND_FAST = { level: 1, memLevel: 3, windowBits: 11 }

/** The events of one commit, the API_VERSION that produced them, and its measures as they were stored. */
export type PackedEvents = { version: string; events: Event[]; measures: unknown[] }

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
