// Runs a step of a space for each slot that is open, and says which slots a space has.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { lease } from '../../base/kernel/lease.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { MINUTE_MS } from '../../base/lib/clock.ts'
import { ownMinute } from '../../base/table/due.ts'

export type Step = {
  every: Period
  /** False for a space that does not need it. Asked first, because nothing is stored for such a space. */
  concerns?: (ctx: Context) => Promise<boolean>
  /** `slots`: the slots (ms) that it makes up for, oldest first. */
  run: (ctx: Context, slots: readonly number[]) => Promise<void>
}

const stepStates = entity({
  name: 'STEP',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    step: z.string(),
    /** The last slot (ms) that is finished. */
    done: z.int().optional(),
    /** The end (ms) of a worker's lease. */
    leased_until: z.int(),
  }),
  key: (of: Space & { step: string }) => ({ pk: spaceKey(of, 'STEPS'), sk: of.step }),
})

/** Longer than a worker runs, and shorter than a message stays hidden. */
const turns = /* @__PURE__ */ lease(stepStates, 5 * 60_000, {
  of: ({ leased_until }) => leased_until,
  until: (leased_until) => ({ leased_until }),
})

/**
 * Runs a step for every slot since the last one that it finished, and stores the newest as finished. Does nothing when there is
 * none, or while another worker holds the lease. An error of the step is thrown, so its message comes again. After a crash the
 * lease runs out, and the step gets the same slots once more.
 */
export async function runStep(ctx: Context, name: string, { every, concerns, run }: Step): Promise<void> {
  const { table, space } = ctx
  const now = ctx.now()
  const state = await table.get(stepStates, { ...space, step: name })
  const slots = openSlots(space, every, { done: state?.done, now })
  const was = state ?? { ...space, step: name, leased_until: 0 }
  if (slots.length === 0 || turns.isHeld(was, now)) return
  if (concerns && !(await concerns(ctx))) return
  const held = await turns.take(ctx, was)
  if (!held) return
  const release = (done: number | undefined) => turns.release(ctx, held, { ...held, done, leased_until: 0 })
  try {
    await run(ctx, slots)
  } catch (error) {
    await release(held.done)
    throw error
  }
  await release(slots.at(-1))
}

/** `caughtUp`: so many slots are made up for after a gap. */
export const PERIODS = {
  hour: { minutes: 60, caughtUp: 24 },
  day: { minutes: 1_440, caughtUp: 8 },
} as const

export type Period = keyof typeof PERIODS
export const periods = Object.keys(PERIODS) as Period[] // keys of the constant itself

/** The space's newest slot (ms) at an instant (ms), which may be the slot itself. */
export function newestSlot(space: Space, period: Period, now: number): number {
  const { minutes } = PERIODS[period]
  const offset = (ownMinute(space) % minutes) * MINUTE_MS
  const length = minutes * MINUTE_MS
  return Math.floor((now - offset) / length) * length + offset
}

/** The slots after the last one that is done, oldest first. Only the newest where none was ever done. */
export function openSlots(
  space: Space,
  period: Period,
  { done, now }: { done: number | undefined; now: number },
): number[] {
  const { minutes, caughtUp } = PERIODS[period]
  const newest = newestSlot(space, period, now)
  const length = minutes * MINUTE_MS
  const count = done === undefined ? 1 : Math.max(0, Math.round((newest - done) / length))
  return Array.from({ length: Math.min(count, caughtUp) }, (_, back) => newest - back * length).toReversed()
}
