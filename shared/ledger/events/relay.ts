// Relays committed events from the outbox into the log and onto the bus. The log holds each event once; the bus may get one
// twice. An unreadable commit is set aside and does not block others.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Context, openTable, type Space, systemContext } from '../../base/context.ts'
import { type OutboxItem, outbox } from './outbox-item.ts'
import { alarm } from '../../base/lib/log.ts'
import { spaceOf } from '../../base/table/entity.ts'
import { append, type Commit, fitting, type Logged } from './append.ts'
import { envelope } from './event.ts'
import { unpackEvents } from './outbox.ts'
import { type BusEntry, publish } from './publish.ts'
import { EVENT_SCHEMAS } from './schemas.ts'

/** A stream record of a new outbox item; `sequence` is its sequence number. */
export type NewOutboxItem = { sequence: string; image: Record<string, AttributeValue> }

type Readable = Commit & { sequence: string; space: Space }

/** Relays records in order and returns the sequence numbers to retry. */
export async function relay(records: readonly NewOutboxItem[]): Promise<string[]> {
  const readable: Readable[] = []
  for (const record of records) {
    try {
      readable.push({ ...readCommit(outbox.decode(record.image)), sequence: record.sequence })
    } catch (error) {
      await keepAside(record, error)
    }
  }
  const bySpace = Map.groupBy(readable, ({ space }) => `${space.tenant_id}#${space.mode}`)
  const failed = await Promise.all([...bySpace.values()].map((commits) => relaySpace(commits)))
  return failed.flat()
}

/** Throws when the item is not ours or holds an event that breaks its schema, since it would reach receivers. */
function readCommit(item: OutboxItem): Omit<Readable, 'sequence'> {
  const space = spaceOf(item.pk)
  if (!space) throw new Error('the item is not in the outbox')
  const { events, measures, version } = unpackEvents(item.events)
  if (events.length === 0) throw new Error('the commit has no events')
  for (const { type, data } of events) EVENT_SCHEMAS[type].schema.parse(data)
  return { item, events, measures, version, space }
}

/** Keeps the item until an operator has inspected it. */
async function keepAside({ image }: NewOutboxItem, error: unknown): Promise<void> {
  const at = { pk: image.pk?.S ?? '', sk: image.sk?.S ?? '' }
  alarm('outbox.unreadable', error, at)
  await openTable().update(at, { remove: ['_ttl'] })
}

async function relaySpace(commits: readonly Readable[]): Promise<string[]> {
  const [first] = commits
  if (!first) return []
  const ctx = systemContext(first.space)
  const failed: string[] = []
  for (let from = 0, to = 0; from < commits.length; from = to) {
    to = from + fitting(commits.slice(from))
    const slice = commits.slice(from, to)
    try {
      const logged = await append(ctx, slice)
      await handOver(slice)
      failed.push(...(await publishLogged(ctx, slice, logged)))
    } catch (error) {
      alarm('relay.failed', error, { tenant: ctx.space.tenant_id, mode: ctx.space.mode })
      return [...failed, ...commits.slice(from).map(({ sequence }) => sequence)] // later ones must not overtake
    }
  }
  return failed
}

/**
 * A mail that is enqueued twice is sent once, because its worker deduplicates by id. A client that is told twice of the same
 * logout has nothing left to end.
 */
async function handOver(commits: readonly Readable[]): Promise<void> {
  const mails = commits.flatMap(({ item }) => item.mails ?? [])
  const logouts = commits.flatMap(({ item }) => item.logouts ?? [])
  if (mails.length === 0 && logouts.length === 0) return
  const { enqueueLogouts, enqueueMails } = await import('./enqueue.ts')
  await Promise.all([enqueueMails(mails), enqueueLogouts(logouts)])
}

async function publishLogged(ctx: Context, commits: readonly Readable[], logged: readonly Logged[]): Promise<string[]> {
  const entries = logged.flatMap((commit, index) =>
    entriesOf(ctx.space, commit).map((entry) => ({ ...entry, sequence: commits[index]?.sequence ?? '' })),
  )
  return (await publish(entries)).map(({ sequence }) => sequence)
}

function entriesOf(space: Space, { item, events, version, first }: Logged): BusEntry[] {
  return events.map((event, index) => ({
    source: 'countersign.events',
    type: event.type,
    detail: { ...envelope(space, version, item.at, event), _position: first + index, _mode: space.mode },
  }))
}
