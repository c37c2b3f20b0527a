// Each change of a test leaves evidence in the same commit.
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../base/context.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import { AB_STATES, type AbTest, abTests } from './ab-test.ts'

export async function commitTest(
  ctx: Context,
  was: Stored<AbTest> | undefined,
  next: AbTest,
  more: readonly Write[] = [],
): Promise<Stored<AbTest>> {
  if (was) mustAllowMove(AB_STATES, was.status, next.status)
  const { slot, model_a_id, model_b_id, status, result } = next
  const artifact = newArtifact(ctx, {
    ...(!was && { artifact_id: next.request_artifact_id }),
    type: 'training.ab_test.changed',
    subject: { type: 'ab_test', id: next.id },
    data: {
      slot,
      model_a_id,
      model_b_id,
      status,
      ...(result !== undefined && { winner: String(JSON.parse(result).winner) }),
      ...(!was && { persons: [...ctx.principal.persons] }),
    },
  })
  const write = was ? abTests.replace(next, was, new Overtaken()) : abTests.insert(next, new Overtaken())
  await ctx.table.commit([write, ...more, ...recorded(ctx, [{ artifact }])], next.id)
  return { ...next, _v: (was?._v ?? 0) + 1 }
}

/** Decisions no longer ask the other model of this test. */
export async function withoutTest({ table, space }: Context, { id, slot }: AbTest): Promise<Write[]> {
  const learned = await table.get(learnedItems, space)
  const placed = learned?.slots[slot]
  if (!learned || !placed?.test || placed.test.id !== id) return []
  const { test: _, ...alone } = placed
  return [learnedItems.replace({ ...learned, slots: { ...learned.slots, [slot]: alone } }, learned, new Overtaken())]
}
