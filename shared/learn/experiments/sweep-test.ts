// Looks at a running test each hour: the p-value of each look counts, a test whose model lost its place or that breaks a guardrail
// stops, one whose days are over is completed.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import { type AbTest, abTests } from './ab-test.ts'
import { endTest, proposeWinner } from './complete-test.ts'
import { lookAt, type Verdict } from './verdict.ts'
import { endOf, LOOK_EVERY_MS } from './start-test.ts'

/** Does nothing before the look is due, or when another sweeper was first: the commit moves the time of the next look. */
export async function sweepTest(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(abTests, { ...ctx.space, id })
  if (was?.status !== 'running' || !was.due_at || Date.parse(was.due_at) > ctx.now()) return
  await unlessChangedMeanwhile(look(ctx, was))
}

async function look(ctx: Context, was: Stored<AbTest>): Promise<void> {
  const learned = await ctx.table.get(learnedItems, ctx.space)
  const verdict = await lookAt(ctx, was)
  if (learned?.slots[was.slot]?.test?.id !== was.id) await endTest(ctx, was, verdict, 'slot_changed')
  else if (verdict.guardrails.some(({ holds }) => !holds)) await endTest(ctx, was, verdict, 'guardrail')
  else if (ctx.now() >= endOf(was)) await complete(ctx, was, verdict)
  else {
    const due_at = iso(Math.min(ctx.now() + LOOK_EVERY_MS, endOf(was)))
    await ctx.table.commit([abTests.replace({ ...was, p_sequential: verdict.p_sequential, due_at }, was)])
  }
}

async function complete(ctx: Context, was: Stored<AbTest>, verdict: Verdict): Promise<void> {
  const test = await endTest(ctx, was, verdict, 'max_days')
  if (verdict.winner === 'b') await proposeWinner(ctx, test, verdict)
}
