// Ends a test and declares what it says. A winner is not deployed: deploying it is requested, and waits for people.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, Failure } from '../../base/lib/failure.ts'
import { retryWhenOvertaken } from '../../base/table/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { requestDeployment } from '../models/request-deployment.ts'
import { type AbTest, abTests, findAbTest } from './ab-test.ts'
import { lookAt } from './look.ts'
import { commitTest, withoutTest } from './move-test.ts'
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
  return { test: verdict.winner === 'b' ? await proposed(ctx, test) : test, verdict }
}

export async function endTest(
  ctx: Context,
  was: Stored<AbTest>,
  verdict: Verdict,
  ended_because: NonNullable<AbTest['ended_because']>,
): Promise<Stored<AbTest>> {
  const { due_at: _, ...rest } = was
  const next: AbTest = {
    ...rest,
    status: ended_because === 'slot_changed' || ended_because === 'guardrail' ? 'stopped' : 'completed',
    p_sequential: verdict.p_sequential,
    result: JSON.stringify(verdict),
    ended_at: iso(ctx.now()),
    ended_because,
  }
  return commitTest(ctx, was, next, await withoutTest(ctx, was))
}

/** Where that cannot be asked for now (a gate that is not passed, an open deployment), people do it by themselves. */
async function proposed(ctx: Context, test: Stored<AbTest>): Promise<Stored<AbTest>> {
  try {
    const { execution } = await requestDeployment(ctx, test.model_b_id, { override_reason: undefined })
    const next = { ...test, proposed_execution_id: execution.id }
    await ctx.table.commit([abTests.replace(next, test)])
    return { ...next, _v: test._v + 1 }
  } catch (error) {
    if (error instanceof Failure) return test
    throw error
  }
}
