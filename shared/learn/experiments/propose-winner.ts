// Proposes that the model that won a test takes the slot. Whoever made the test or ended it does not decide on that.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import { proposeUpdate } from '../routing/propose-update.ts'
import { type AbTest, abTests } from './ab-test.ts'
import type { Verdict } from './verdict.ts'

/** Where that cannot be proposed now (a gate that is not passed, an open deployment), people do it by themselves. */
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

/** With everybody who made the test, as the chain names them: the row alone could name nobody. */
async function behind(ctx: Context, { id, request_artifact_id }: AbTest): Promise<Context> {
  const header = await readSequenced(ctx, request_artifact_id)
  const isIts =
    header?.type === 'training.ab_test.changed' && header.subject?.id === id && header.chain === chainName(ctx.space)
  const made = isIts && Array.isArray(header.data?.persons) ? header.data.persons : undefined
  if (!made) throw new Failure('invalid', 'The evidence does not show who made this test.')
  const persons = [...ctx.principal.persons, ...made.filter((one) => typeof one === 'string')]
  return { ...ctx, principal: { ...ctx.principal, persons: [...new Set(persons)] } }
}
