// Walks the index of due work from where the last walk ended. Items that could not be handled are met again by the next
// walk, so a missed run loses nothing.
import * as z from 'zod'
import { iso } from '../lib/clock.ts'
import { inParallel } from '../lib/in-parallel.ts'
import { alarm } from '../lib/log.ts'
import { duePartitions, timeOfDue } from './due.ts'
import { entity, type Key } from './entity.ts'
import type { Table } from './table.ts'

/** Where the first walk starts. */
const FIRST_LOOK_BACK_MS = 86_400_000
/** Longer than any approval may wait (7 days). Older items have failed at every walk since. */
const LOOK_BACK_MS = 8 * 86_400_000
/** An index may lag behind the table by this much. */
const MARGIN_MS = 60_000
const AT_ONCE = 10

const progress = entity({
  name: 'SWEEP',
  unbound: 'bounded',
  schema: z.object({ from: z.int() }),
  key: () => ({ pk: 'DUE#progress', sk: 'SWEEP' }),
})

export type SweepOptions = {
  /** Also handles what falls due within this time, for a restart that lost its timers. */
  aheadMs?: number
  /** Called once everything was handled; when it throws, all is met again by the next walk. */
  finish?: () => Promise<void>
}

/** Calls `handle` with the key of each due item. `handle` reads the item and decides what to do. */
export async function sweepDue(
  table: Table,
  handle: (due: Key) => Promise<void>,
  { aheadMs = 0, finish }: SweepOptions = {},
): Promise<void> {
  const now = table.clock.now()
  const last = (await table.get(progress, {}))?.from ?? now - FIRST_LOOK_BACK_MS
  const from = Math.max(last, now - LOOK_BACK_MS)
  const to = now + aheadMs
  const pages = await inParallel(AT_ONCE, duePartitions(from, to), (pk) =>
    table.keys({ pk, index: 'gsi2', from: iso(from), to: `${iso(to)}~` }),
  )
  const failures = await inParallel(AT_ONCE, pages.flat(), (due) => attempt(due, handle))
  await finish?.()
  const unfinished = failures.filter((at) => at !== undefined)
  const next = Math.min(now - MARGIN_MS, ...unfinished)
  await table.update(progress.key({}), { set: { from: next, _type: progress.name } })
}

/** The due time of the item if handling it failed. */
async function attempt(due: Key & { sort: string }, handle: (due: Key) => Promise<void>): Promise<number | undefined> {
  try {
    await handle(due)
    return undefined
  } catch (error) {
    alarm('sweep_failed', error, { pk: due.pk })
    return timeOfDue(due.sort)
  }
}
