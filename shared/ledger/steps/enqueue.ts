// Sends the spaces whose hourly or daily slot has come to the worker of the steps.
import { MINUTE_MS } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { queue, sendMany } from '../../base/kernel/queue.ts'
import { inGroups } from '../../base/lib/in-parallel.ts'
import { entity, spaceOf } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'
import { CHAINS, minuteOfHour } from '../evidence/chain/chain.ts'
import { newestSlot, periods } from './run-step.ts'

/** Spaces that have a slot of this period. */
export const StepMessage = z.strictObject({ every: z.enum(periods), spaces: z.array(z.strictObject(spaceMembers)) })
export type StepMessage = z.output<typeof StepMessage>

export const steps = queue('steps', StepMessage)

/** Up to when (ms) the slots of all spaces have been sent. */
const progress = entity({
  name: 'STEPS',
  unbound: 'bounded',
  schema: z.object({ until: z.int() }),
  key: () => ({ pk: 'DUE#progress', sk: 'STEPS' }),
})

/** Where the first run starts. */
const FIRST_LOOK_BACK_MS = MINUTE_MS
const MINUTES_PER_HOUR = 60
const SPACES_PER_MESSAGE = 25

/**
 * Sends the spaces that have had a slot since the last run. One run that dies halfway, and two at once, send some twice; each
 * step knows its last finished slot.
 */
export async function enqueueSteps(table: Table): Promise<void> {
  const now = table.clock.now()
  const until = (await table.get(progress, {}))?.until ?? now - FIRST_LOOK_BACK_MS
  const spaces = await spacesBetween(table, until, now)
  const messages = periods.flatMap((every): StepMessage[] => {
    const due = spaces.filter((space) => newestSlot(space, every, now) > until)
    return inGroups(due, SPACES_PER_MESSAGE).map((group) => ({ every, spaces: group }))
  })
  await sendMany(steps, messages)
  await table.update(progress.key({}), { set: { until: now, _type: progress.name } })
}

/** Those whose own minute has come since: a run that is on time reads the sixtieth part of all keys. */
async function spacesBetween(table: Table, until: number, now: number): Promise<Space[]> {
  const first = Math.floor(until / MINUTE_MS) + 1
  const count = Math.max(0, Math.floor(now / MINUTE_MS) - first + 1)
  const all = { pk: CHAINS, index: 'gsi2' } as const
  const ranges =
    count >= MINUTES_PER_HOUR
      ? [all]
      : Array.from({ length: count }, (_, index) => ({ ...all, prefix: minuteOfHour(first + index) }))
  const keys = await Promise.all(ranges.map((range) => table.keys(range)))
  return keys.flat().flatMap(({ pk }) => spaceOf(pk) ?? [])
}
