// Ends a test and declares what it says. A winner is not deployed: a routing update proposes it, and waits for people.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { type AbTest, findAbTest, moveTest } from './ab-test.ts'
import { lookAt } from './look.ts'
import { proposeWinner } from './propose-winner.ts'
import type { Verdict } from './verdict.ts'

export type Completed = { test: Stored<AbTest>; verdict: Verdict }

/** Throws 409 for a test that does not run, and with too few decisions unless it is forced. */
export async function completeTest(ctx: Context, id: string, force: boolean): Promise<Completed> {
  const { test, verdict } = await retryWhenOvertaken(async () => {
    const was = await findAbTest(ctx, id)
    if (was.status !== 'running') throw conflict(`The test is ${was.status}. Only a running one can be completed.`)
    const seen = await lookAt(ctx, was)
    if (seen.reason === 'too_few_samples' && !force)
      throw conflict(
        `People decided on ${seen.arms.a.n} of the ${was.min_samples} actions that are needed. Wait, or send force.`,
      )
    return { test: await endTest(ctx, was, seen, 'completed'), verdict: seen }
  })
  return { test: verdict.winner === 'b' ? await proposeWinner(ctx, test, verdict) : test, verdict }
}

export async function endTest(
  ctx: Context,
  was: Stored<AbTest>,
  verdict: Verdict,
  ended_because: NonNullable<AbTest['ended_because']>,
): Promise<Stored<AbTest>> {
  const status = ended_because === 'slot_changed' || ended_because === 'guardrail' ? 'stopped' : 'completed'
  const { item, write, transition } = moveTest(ctx, was, status, {
    p_sequential: verdict.p_sequential,
    result: JSON.stringify(verdict),
    ended_at: iso(ctx.now()),
    ended_because,
    due_at: undefined,
  })
  await ctx.table.commit([write, ...(await withoutTest(ctx, was)), ...recorded(ctx, [transition])], was.id)
  return item
}

/** Decisions no longer ask the other model of this test. */
async function withoutTest({ table, space }: Context, { id, slot }: AbTest): Promise<Write[]> {
  const learned = await table.get(learnedItems, space)
  const placed = learned?.slots[slot]
  if (!learned || !placed?.test || placed.test.id !== id) return []
  const { test: _, ...alone } = placed
  return [learnedItems.replace({ ...learned, slots: { ...learned.slots, [slot]: alone } }, learned, new Overtaken())]
}
