import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { openSlots, type Period } from './slots.ts'

export type Step = {
  every: Period
  /** False for a space that does not need it. Asked first, because nothing is stored for such a space. */
  concerns?: (ctx: Context) => Promise<boolean>
  /** `slots`: the slots (ms) that it makes up for, oldest first. */
  run: (ctx: Context, slots: readonly number[]) => Promise<void>
}

/** Longer than a worker runs, and shorter than a message stays hidden. */
const LEASE_MS = 5 * 60_000

const stepStates = entity({
  name: 'STEP',
  schema: z.object({
    ...spaceMembers,
    step: z.string(),
    /** The last slot (ms) that is finished. */
    done: z.int().optional(),
    /** Until then (ms) a worker is at it. */
    leased_until: z.int(),
  }),
  key: (of: Space & { step: string }) => ({ pk: spaceKey(of, 'STEPS'), sk: of.step }),
})

/**
 * Runs a step for every slot since the last one that it finished; does nothing when there is none or while another worker is
 * at it. Throws what the step throws: its message comes again.
 */
export async function runStep(ctx: Context, name: string, { every, concerns, run }: Step): Promise<void> {
  const { table, space } = ctx
  const now = ctx.now()
  const state = await table.get(stepStates, { ...space, step: name })
  const slots = openSlots(space, every, { done: state?.done, now })
  if (slots.length === 0 || (state && state.leased_until > now)) return
  if (concerns && !(await concerns(ctx))) return
  const leased = { ...space, step: name, done: state?.done, leased_until: now + LEASE_MS }
  try {
    await table.commit([state ? stepStates.replace(leased, state) : stepStates.insert(leased)])
  } catch (error) {
    if (error instanceof ConditionFailed) return // another worker was faster
    throw error
  }
  const held = { ...leased, _v: (state?._v ?? 0) + 1 }
  const release = (done: number | undefined) =>
    table.commit([stepStates.replace({ ...leased, done, leased_until: 0 }, held)])
  try {
    await run(ctx, slots)
  } catch (error) {
    await release(leased.done)
    throw error
  }
  await release(slots.at(-1))
}
