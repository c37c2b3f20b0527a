// Ends a test and declares what it says. A winner is not deployed: a routing update proposes it, and waits for people.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, Failure } from '../../base/lib/failure.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { type AbTest, abTests, findAbTest, moveTest } from './ab-test.ts'
import { lookAt, type Verdict } from './verdict.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import { proposeUpdate } from '../routing/propose-update.ts'

export type Completed = { test: Stored<AbTest>; verdict: Verdict }

/**
 * Ends the test with its verdict and takes the other model out of decisions, in one transaction; then proposes a winning B. Throws
 * 409 for a test that does not run, and with too few decisions unless it is forced. The verdict comes from the counts alone. If
 * the process dies before the proposal, people propose the update by themselves. A second caller gets the 409.
 */
export async function completeTest(ctx: Context, id: string, force: boolean): Promise<Completed> {
  const { test, verdict } = await retryWhenChanged(async () => {
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
  await ctx.table.commit([write, ...(await withoutTest(ctx, was)), ...commitWith(ctx, [transition])], was.id)
  return item
}

/** Decisions no longer ask the other model of this test. */
async function withoutTest({ table, space }: Context, { id, slot }: AbTest): Promise<Write[]> {
  const learned = await table.get(learnedItems, space)
  const placed = learned?.slots[slot]
  if (!learned || !placed?.test || placed.test.id !== id) return []
  const { test: _, ...alone } = placed
  return [
    learnedItems.replace({ ...learned, slots: { ...learned.slots, [slot]: alone } }, learned, new ChangedMeanwhile()),
  ]
}

/**
 * Proposes that the model that won a test takes the slot. The people who made the test or ended it cannot decide on that. Where
 * it cannot be proposed now (a gate that is not passed, an open deployment), people do it by themselves.
 */
export async function proposeWinner(ctx: Context, test: Stored<AbTest>, verdict: Verdict): Promise<Stored<AbTest>> {
  const { id: test_id, slot, model_b_id: to } = test
  const { n, rate, ci95 } = verdict.arms.b
  try {
    const update = await proposeUpdate(await behind(ctx, test), {
      type: 'model_change',
      slot,
      to,
      rationale: `The test ${test_id} declared it the better of two models.`,
      evidence: { test_id, n, rate, ci95 },
      source: 'ab_test',
    })
    const next = { ...test, proposed_update_id: update.id }
    await ctx.table.commit([abTests.replace(next, test)])
    return { ...next, _v: test._v + 1 }
  } catch (error) {
    if (error instanceof Failure) return test
    throw error
  }
}

/** A context with all people who made the test, as the chain names them: the row could be rewritten to name nobody. */
async function behind(ctx: Context, { id, request_artifact_id }: AbTest): Promise<Context> {
  const header = await readSequenced(ctx, request_artifact_id)
  const isIts =
    header?.type === 'training.ab_test.changed' && header.subject?.id === id && header.chain === chainName(ctx.space)
  const made = isIts && Array.isArray(header.data?.persons) ? header.data.persons : undefined
  if (!made) throw new Failure('invalid', 'The evidence does not show who made this test.')
  const persons = [...ctx.principal.persons, ...made.filter((one) => typeof one === 'string')]
  return { ...ctx, principal: { ...ctx.principal, persons: [...new Set(persons)] } }
}
