// The relay: carries committed events from the outbox into the log and onto the bus.
//
// A commit writes one outbox item. The stream of the table delivers that item here, at least once. For the commits of one
// space the relay takes three steps, in this order:
//
// 1. Append. One transaction moves the head of the log, inserts a chunk for each commit, and marks each outbox item with the
//    position of its first event. The mark must not exist before, so a commit enters the log once, however often its
//    record is delivered. The counts of conduct are in the same transaction.
// 2. Enqueue the mails and logouts of the commits. Both may be sent twice without harm.
// 3. Publish the events on the bus. Entries that the bus refuses are reported as failed, so their records come again.
//
// The log comes first because readers follow its positions: an event on the bus always has a position that can be read.
// A relay that dies before step 1 leaves nothing behind. One that dies later leaves marked items: the next delivery reads
// their positions and repeats steps 2 and 3 only. So the log holds each event once, and the bus may get one twice. Two relays
// of one space at once: the head has changed for the second, which reads the marks and tries again. After a failure the
// later commits of the space wait, because they must not overtake. An unreadable commit blocks nobody: it is set aside.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Context, openTable, type Space, systemContext } from '../../base/context.ts'
import { outbox, type OutboxItem, unpackEvents } from './outbox.ts'
import { alarm } from '../../base/lib/log.ts'
import { entity, type Key, spaceOf, type Stored, type Write } from '../../base/table/entity.ts'
import { envelope, type Event } from './event.ts'
import { type BusEntry, publish } from './publish.ts'
import { EVENT_SCHEMAS } from './schemas.ts'
import * as z from 'zod'
import { jitter, retryChange } from '../../base/kernel/retry.ts'
import { actorsIn, conductWrites, type Counted } from '../conduct/count.ts'
import { chunks, type LogHead, logHead, logHeads } from './log.ts'

/** A stream record of a new outbox item; `sequence` is its sequence number. */
export type NewOutboxItem = { sequence: string; image: Record<string, AttributeValue> }

type Readable = Commit & { sequence: string; space: Space }

/**
 * Relays records in order and returns the sequence numbers of those that must come again. Afterwards every other commit is in
 * the log and on the bus. It throws for no single record: an unreadable one keeps its outbox item and raises an alarm.
 */
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
 * A mail that is enqueued twice is sent once, because its worker deduplicates by id. A client that gets a logout twice has
 * nothing left to end.
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

/** An outbox item with its events and measures unpacked. */
export type Commit = { item: OutboxItem; events: Event[]; measures: readonly unknown[]; version: string }

/** A commit with the position of its first event. */
type Logged = Commit & { first: number }

/** A transaction has at most 100 items: the head, two for each commit and one for each actor whose conduct they add to. */
const ITEMS_MAX = 99

/** How many of the first commits fit into one transaction. */
function fitting(commits: readonly Commit[]): number {
  const actors = new Set<string>()
  let count = 0
  for (const commit of commits) {
    for (const actor of actorsIn([counted(commit)])) actors.add(actor)
    if (2 * (count + 1) + actors.size > ITEMS_MAX) break
    count += 1
  }
  return Math.max(1, count)
}

const counted = ({ item, events, measures }: Commit): Counted => ({ at: item.at, events, measures })

const TRIES = 20
const PAUSE_MS = 25

/** An outbox item with its mark: the position of its first event in the log. */
const marks = entity({
  name: 'OUTBOX',
  unbound: 'proven by artifacts',
  schema: z.object({ pk: z.string(), sk: z.string(), position: z.int().optional() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/**
 * Appends commits of the context's space in one transaction, in order; the caller passes as many as fit. Commits that are in
 * the log already keep their position. After a change by another relay it reads the marks and tries again.
 */
export async function append(ctx: Context, commits: readonly Commit[]): Promise<Logged[]> {
  const known = new Map<string, number>()
  const unique = [...new Map(commits.map((commit) => [commit.item.sk, commit])).values()]
  const pause = (met: number) => jitter(ctx, PAUSE_MS * met)
  const run = async (attempt: number) => {
    if (attempt > 1) {
      for (const mark of await ctx.table.read(marks, unique.map(keyOf))) {
        if (mark.position !== undefined) known.set(mark.sk, mark.position)
      }
    }
    const placed = await appendNew(
      ctx,
      unique.filter(({ item }) => !known.has(item.sk)),
    )
    for (const { item, first } of placed) known.set(item.sk, first)
    return commits.map((commit) => ({ ...commit, first: known.get(commit.item.sk) ?? 0 }))
  }
  return retryChange(TRIES, run, pause)
}

/** Throws `ConditionFailed` after a concurrent change of the head or of one of these items. */
async function appendNew(ctx: Context, commits: readonly Commit[]): Promise<Logged[]> {
  if (commits.length === 0) return []
  const head = await logHead(ctx)
  const { placed, next } = place(head, commits)
  const conduct = await conductWrites(ctx, commits.map(counted))
  await ctx.table.commit([
    head._v === 0 ? logHeads.insert(next) : logHeads.replace(next, head),
    ...placed.flatMap((commit) => writesOf(ctx, commit)),
    ...conduct,
  ])
  return placed
}

/** The commits with their positions after a head, and the next head. */
function place(head: Stored<LogHead>, commits: readonly Commit[]): { placed: Logged[]; next: LogHead } {
  const next: LogHead = { ...head, counts: { ...head.counts } }
  const placed = commits.map((commit) => {
    const first = next.position + 1
    next.at = Math.max(next.at ?? 0, commit.item.at)
    next.position += commit.events.length
    const submitted = commit.events.filter(({ type }) => type === 'action.requested').length
    if (submitted > 0) next.counts.executions = (next.counts.executions ?? 0) + submitted
    return { ...commit, first }
  })
  return { placed, next }
}

function writesOf({ space }: Context, { item, events, first }: Logged): Write[] {
  const last = first + events.length - 1
  return [
    chunks.insert({ ...space, first, last, at: item.at, events: item.events }),
    outbox.update(item, {
      set: { position: first },
      condition: { expression: 'attribute_not_exists(#mark)', names: { '#mark': 'position' } },
    }),
  ]
}

const keyOf = ({ item }: Commit): Key => ({ pk: item.pk, sk: item.sk })
