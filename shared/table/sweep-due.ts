// Walks the index of due work from where the last walk ended. A minute is left behind only when everything in it was
// handled, so a failure is met again by the next walk, and a missed run loses nothing.
import * as z from 'zod'
import { inParallel } from '../lib/in-parallel.ts'
import { alarm } from '../lib/log.ts'
import { duePartitions, minutesBetween } from './due.ts'
import { entity, type Key } from './entity.ts'
import type { Table } from './table.ts'

/** Looking further back than this finds nothing that has not been tried a thousand times. */
const LOOK_BACK_MS = 86_400_000
const MINUTE_MS = 60_000
const AT_ONCE = 10

const progress = entity({
  name: 'SWEEP',
  schema: z.object({ from: z.int() }),
  key: () => ({ pk: 'DUE#progress', sk: 'SWEEP' }),
})

/** Calls `handle` with the key of everything due up to now; it decides from the item itself what is really to be done. */
export async function sweepDue(table: Table, handle: (due: Key) => Promise<void>): Promise<void> {
  const now = table.clock.now()
  const last = (await table.get(progress, {}))?.from ?? now - LOOK_BACK_MS
  const minutes = minutesBetween(Math.max(last, now - LOOK_BACK_MS), now)
  let unfinished: number | undefined
  for (const minute of minutes) {
    const failed = await sweepMinute(table, minute, handle)
    if (failed) unfinished ??= minute
  }
  // The present minute is never over: what falls due later in it is found next time.
  const from = Math.min(unfinished ?? now, Math.floor(now / MINUTE_MS) * MINUTE_MS)
  await table.update(progress.key({}), { set: { from, _type: progress.name } })
}

async function sweepMinute(table: Table, minute: number, handle: (due: Key) => Promise<void>): Promise<boolean> {
  const pages = await Promise.all(duePartitions(minute).map((pk) => table.keys({ pk, index: 'gsi2' })))
  let failed = false
  await inParallel(AT_ONCE, pages.flat(), async (due) => {
    try {
      await handle(due)
    } catch (error) {
      failed = true
      alarm('sweep_failed', error, { pk: due.pk })
    }
  })
  return failed
}
