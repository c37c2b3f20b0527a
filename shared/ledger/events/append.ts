// Appends committed events to the log. A commit is appended once, however often its record is delivered, because the
// transaction also marks its outbox item.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type OutboxItem, outbox } from './outbox-item.ts'
import { entity, type Key, type Stored, type Write } from '../../base/table/entity.ts'
import { jitter, retryChange } from '../../base/kernel/retry.ts'
import { actorsIn, conductWrites, type Counted } from '../conduct/count.ts'
import type { Event } from './event.ts'
import { chunks, type LogHead, logHead, logHeads } from './log.ts'

/** An outbox item with its events and measures unpacked. */
export type Commit = { item: OutboxItem; events: Event[]; measures: readonly unknown[]; version: string }

/** A commit with the position of its first event. */
export type Logged = Commit & { first: number }

/** A transaction has at most 100 items: the head, two for each commit and one for each actor whose conduct they add to. */
const ITEMS_MAX = 99

/** How many of the first commits fit into one transaction. */
export function fitting(commits: readonly Commit[]): number {
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

/** The mark that the log writes on an outbox item. */
const marks = entity({
  name: 'OUTBOX',
  unbound: 'proven by artifacts',
  schema: z.object({ pk: z.string(), sk: z.string(), position: z.int().optional() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** Appends as many commits of the context's space as fit into one transaction, in order. Commits already in the log keep their position. */
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
