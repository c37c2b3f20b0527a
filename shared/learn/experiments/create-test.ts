// Creates an A/B test as a draft.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { displayName, id as anId } from '../../base/wire/fields.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { findModel, type Model, SLOT } from '../models/model.ts'
import { type AbTest, beginTest, Guardrail, METRICS } from './ab-test.ts'

export const AbTestInput = z.strictObject({
  name: displayName(120).describe('A name for people.'),
  slot: z
    .string()
    .regex(SLOT, 'must be lower case letters, digits and hyphens, 63 at most')
    .describe('The slot of a model.'),
  model_a_id: anId.describe('The deployed model, which acts.'),
  model_b_id: anId.describe('The other model: in a shadow test it only says what it would have done.'),
  shadow: z
    .boolean()
    .default(true)
    .describe(
      'The other model changes no decision; otherwise it decides for its share of the units, and people must have approved it before.',
    ),
  split_b: z
    .number()
    .min(0.01)
    .max(0.99)
    .default(0.5)
    .describe('The share of the units for which the other model decides.'),
  unit: z
    .enum(['agent', 'execution', 'user'])
    .default('execution')
    .describe('What always gets the same model: an agent, a user, or each execution by itself.'),
  primary_metric: z
    .enum(METRICS)
    .default('agreement')
    .describe(
      '`agreement`: how often a model is right about what people decide, the only one of a shadow test. `approval_rate`: of the decisions of people. `undo_rate`: of the SOFT actions that ran. `failure_rate`: of the actions that ran or failed.',
    ),
  guardrails: z.array(Guardrail).max(2).default([]).describe('What must not grow; a test that breaks one stops.'),
  direction: z
    .enum(['higher', 'lower'])
    .default('higher')
    .describe('Whether a higher or a lower value of the metric is better.'),
  alpha: z
    .number()
    .min(0.001)
    .max(0.2)
    .default(0.05)
    .describe('How likely a winner may be declared where there is no difference, at all looks together.'),
  min_samples: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(200)
    .describe('Decisions of people that are needed before anything is declared.'),
  min_effect: z.number().min(0).max(1).default(0.01).describe('A smaller difference declares no winner.'),
  max_days: z.int().min(1).max(90).default(30).describe('After so many days the test ends by itself.'),
})
export type AbTestInput = z.output<typeof AbTestInput>

/** Throws 404 for an unknown model, 422 for two that cannot be compared. */
export async function createTest(ctx: Context, input: AbTestInput): Promise<Stored<AbTest>> {
  mustBeMeasurable(input)
  const [a, b] = await Promise.all([findModel(ctx, input.model_a_id), findModel(ctx, input.model_b_id)])
  mustFit('model_a_id', a, input.slot)
  mustFit('model_b_id', b, input.slot)
  if (a.id === b.id) throw invalid(['model_b_id'], 'must be another model than model_a_id')
  const draft: AbTest = {
    ...ctx.space,
    ...input,
    id: ctx.id('abt'),
    status: 'draft',
    p_sequential: 1,
    created_at: iso(ctx.now()),
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
    request_artifact_id: ctx.id('art'),
  }
  const { item, write, transition } = beginTest(ctx, draft, ctx.principal.persons)
  await ctx.table.commit([write, ...commitWith(ctx, [transition])], item.id)
  return item
}

/** Throws 422 for a measure that needs the other model to act, where it never does. */
function mustBeMeasurable({ shadow, primary_metric, guardrails, unit, split_b }: AbTestInput): void {
  if (!shadow) return
  if (primary_metric !== 'agreement') throw invalid(['primary_metric'], 'must be agreement where shadow is true')
  if (guardrails.length > 0) throw invalid(['guardrails'], 'need shadow false: the other model changes nothing')
  if (unit !== 'execution') throw invalid(['unit'], 'must be execution where shadow is true')
  if (split_b !== 0.5) throw invalid(['split_b'], 'must be 0.5 where shadow is true: both models judge everything')
}

/** Only models that judge actions say how they would have decided. */
function mustFit(member: string, { name, type }: Model, slot: string): void {
  if (name !== slot) throw invalid([member], `is a model of the slot ${name}`)
  if (type !== 'approval') throw invalid([member], 'does not judge actions')
}
