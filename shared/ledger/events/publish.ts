// Puts entries on the event bus. PutEvents reports failures per entry in a successful answer, so only failed entries are
// sent again.
import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge'
import { currentRuntime } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { warn } from '../../base/lib/log.ts'

/** Only `countersign.events` is delivered to receivers; internal messages use the other source. */
export type BusEntry = { source: 'countersign.events' | 'countersign.internal'; type: string; detail: object }

const ENTRIES_MAX = 10
/** Below the 256 KB of a call, which also counts sources and types. */
const BYTES_MAX = 240_000
const TRIES = 3
const PAUSE_MS = 100

/** Publishes entries in order and answers with those that could not be published. */
export async function publish<E extends BusEntry>(entries: readonly E[]): Promise<E[]> {
  let open = [...entries]
  for (let attempt = 0; attempt < TRIES && open.length > 0; attempt += 1) {
    if (attempt > 0) await currentRuntime().clock.sleep(PAUSE_MS * 2 ** attempt)
    const refused = []
    for (const batch of batches(open)) refused.push(...(await refusedOf(batch)))
    open = refused
  }
  return open
}

async function refusedOf<E extends BusEntry>(batch: Sized<E>[]): Promise<E[]> {
  const { PutEventsCommand, eventbridge } = await import('../../base/aws/eventbridge.ts')
  try {
    const answer = await eventbridge().send(new PutEventsCommand({ Entries: batch.map(({ put }) => put) }))
    if (!answer.FailedEntryCount) return []
    return batch.filter((_, index) => answer.Entries?.[index]?.EventId === undefined).map(({ entry }) => entry)
  } catch (error) {
    warn('bus.unavailable', error)
    return batch.map(({ entry }) => entry)
  }
}

type Sized<E> = { entry: E; put: PutEventsRequestEntry; bytes: number }

function sized<E extends BusEntry>(entry: E): Sized<E> {
  const Detail = JSON.stringify(entry.detail)
  const put = { EventBusName: env('BUS_NAME'), Source: entry.source, DetailType: entry.type, Detail }
  return { entry, put, bytes: Buffer.byteLength(Detail) }
}

function batches<E extends BusEntry>(entries: readonly E[]): Sized<E>[][] {
  const made: Sized<E>[][] = []
  let bytes = 0
  for (const next of entries.map(sized)) {
    const current = made.at(-1)
    if (current && current.length < ENTRIES_MAX && bytes + next.bytes <= BYTES_MAX) {
      current.push(next)
      bytes += next.bytes
    } else {
      made.push([next])
      bytes = next.bytes
    }
  }
  return made
}
