// A test of two versions of a model: the deployed one acts, the other only says what it would have done, and the decisions of
// people show which one was right.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import type { Arm } from '../../govern/learned/learned.ts'

export const AB_STATUSES = ['draft', 'running', 'completed', 'stopped'] as const
export type AbStatus = (typeof AB_STATUSES)[number]

/** `stopped`: its model lost its place in the slot, or B broke a guardrail. */
export const AB_STATES: States<AbStatus> = {
  draft: ['running'],
  running: ['completed', 'stopped'],
  completed: [],
  stopped: [],
}

const Actor = z.object({
  type: z.string().describe('What kind of caller it is.'),
  id: z.string().describe('Id of the caller.'),
})

/** A shadow test never acts, so it can measure `agreement` alone. */
export const METRICS = ['agreement', 'approval_rate', 'undo_rate', 'failure_rate'] as const
export type Metric = (typeof METRICS)[number]
/** Measures that a guardrail may limit: higher is worse. */
export const GUARDED = ['undo_rate', 'failure_rate'] as const

export const Guardrail = z.strictObject({
  metric: z.enum(GUARDED).describe('What must not grow.'),
  max_increase: z.number().min(0).max(1).describe('By how much it may grow, from 0 to 1.'),
})

export const AbTest = z.object({
  ...resourceMembers,
  name: z.string().describe('A name for people.'),
  slot: z.string().describe('The slot of a model.'),
  /** The deployed one. */
  model_a_id: z.string().describe('The deployed model, which acts.'),
  model_b_id: z.string().describe('The other model: in a shadow test it only says what it would have done.'),
  /** B changes nothing; else it decides for its share of the units. */
  shadow: z.boolean().describe('The other model changes no decision; otherwise it decides for its share of the units.'),
  split_b: z.number().describe('The share of the units for which the other model decides.'),
  unit: z
    .enum(['agent', 'execution', 'user'])
    .describe('What always gets the same model: an agent, a user, or each execution by itself.'),
  primary_metric: z
    .enum(METRICS)
    .describe(
      '`agreement`: how often a model is right about what people decide, the only one of a shadow test. `approval_rate`: of the decisions of people. `undo_rate`: of the SOFT actions that ran. `failure_rate`: of the actions that ran or failed.',
    ),
  guardrails: z.array(Guardrail).describe('What must not grow; a test that breaks one stops.'),
  direction: z.enum(['higher', 'lower']).describe('Whether a higher or a lower value is better.'),
  alpha: z
    .number()
    .describe('How likely a winner may be declared where there is no difference, at all looks together.'),
  min_samples: z.int().describe('Decisions of people that are needed before anything is declared.'),
  min_effect: z.number().describe('A smaller difference declares no winner.'),
  max_days: z.int().describe('After so many days the test ends by itself.'),
  status: z.enum(AB_STATUSES).describe('The current state.'),
  /** The smallest p-value of all looks; it never grows. */
  p_sequential: z.number(),
  /** JSON of the verdict that ended it. */
  result: z.string().optional(),
  proposed_update_id: z
    .string()
    .optional()
    .describe('The routing update that would put the winner into its slot. It waits for people.'),
  created_at: z.string().describe('When it was created.'),
  created_by: Actor.describe('The caller that created it.'),
  /** The artifact of its creation; it names everybody behind the test. */
  request_artifact_id: z.string(),
  started_at: z.string().optional().describe('When it started.'),
  ended_at: z.string().optional().describe('When it ended.'),
  ended_because: z.enum(['completed', 'max_days', 'slot_changed', 'guardrail']).optional().describe('Why it ended.'),
  /** The next look. */
  due_at: z.string().optional(),
})
export type AbTest = z.output<typeof AbTest>

export const abTestsPartition = (space: Space): string => spaceKey(space, 'ABTEST')

export const abTests = entity({
  name: 'ABTEST',
  unbound: 'bounded',
  schema: AbTest,
  key: (of: Space & { id: string }) => ({ pk: abTestsPartition(of), sk: of.id }),
  index: (item) => dueAt(item.due_at, item.id),
})

/** The artifact of a new test has the id that the test names, and names everybody behind it (`persons`). */
export const { begin: beginTest, move: moveTest } = lifecycle(abTests, AB_STATES, {
  facts: ({ slot, model_a_id, model_b_id, status, result, ...next }, was, persons: readonly string[] = []) => ({
    ...(!was && { artifact_id: next.request_artifact_id }),
    type: 'training.ab_test.changed',
    subject: { type: 'ab_test', id: next.id },
    data: {
      slot,
      model_a_id,
      model_b_id,
      status,
      ...(result !== undefined && { winner: String(JSON.parse(result).winner) }),
      ...(!was && { persons: [...persons] }),
    },
  }),
})

const count = z.int().default(0)

/** Pairs: executions that both models judged and people decided on. */
export const AbCounts = z.object({ sk: z.string(), n: count, only_a: count, only_b: count, both: count })
export type AbCounts = z.output<typeof AbCounts>

export const abCounts = entity({
  name: 'ABCOUNT',
  unbound: 'bounded',
  schema: AbCounts,
  key: (of: Space & { id: string }) => ({ pk: abTestsPartition(of), sk: `COUNT#${of.id}` }),
})

/** Counts of a live test: those of one unit of one arm, or of all executions of the arm. */
export const ArmCounts = z.object({
  sk: z.string(),
  assigned_n: count,
  agreement_n: count,
  agreement_k: count,
  approval_rate_n: count,
  approval_rate_k: count,
  undo_rate_n: count,
  undo_rate_k: count,
  failure_rate_n: count,
  failure_rate_k: count,
})
export type ArmCounts = z.output<typeof ArmCounts>

export const armCounts = entity({
  name: 'ABARM',
  unbound: 'bounded',
  schema: ArmCounts,
  key: ({ id, arm, unit, ...space }: Space & { id: string; arm: Arm; unit: string }) => ({
    pk: armsPartition(space, id),
    sk: `${arm}#${unit}`,
  }),
})

/** Apart from the tests: a test by user has as many as there are users. */
export const armsPartition = (space: Space, id: string): string => spaceKey(space, 'ABARM', id)

const AB_ID = idPattern('abt')

/** Throws 404. */
export async function findAbTest({ table, space }: Context, id: string): Promise<Stored<AbTest>> {
  const found = AB_ID.test(id) ? await table.get(abTests, { ...space, id }) : undefined
  if (!found) throw notFound('A/B test')
  return found
}
