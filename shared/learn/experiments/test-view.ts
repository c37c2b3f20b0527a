// A/B tests as the API shows and lists them.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { abTestsPartition, AbTest, abTests, findAbTest } from './ab-test.ts'
import { lookAt, type Verdict } from './verdict.ts'

const rate = z.number().nullable()
const Interval = z
  .object({ lower: z.number().describe('Its lower end.'), upper: z.number().describe('Its upper end.') })
  .nullable()
const Arm = z.object({
  n: z.int().describe('The number of decisions.'),
  units: z.int().describe('Units that were counted.'),
  successes: z.int().describe('How many of them.'),
  rate: rate.describe('From 0 to 1; null before the first.'),
  ci95: Interval.describe('The 95 % interval of the share (Wilson).'),
})

export const ResultView = z.object({
  arms: z
    .object({ a: Arm.describe('The deployed model.'), b: Arm.describe('The other model.') })
    .describe('What was counted for each model.'),
  effect: z.number().describe('By how much the value of the other model differs from that of the deployed one.'),
  ci_sequential: Interval.describe('Bounds of the difference that hold at every look; null while nothing is known.'),
  z: z.number().nullable().describe('The usual statistic, for comparison.'),
  p_value: z.number().nullable().describe('The usual p-value, for comparison: it does not hold at every look.'),
  p_sequential: z.number().describe('The p-value that holds at every look, and never grows.'),
  winner: z.enum(['a', 'b']).nullable().describe('The better model; null where none is declared.'),
  outcome: z.enum(['winner', 'inconclusive']).describe('The outcome.'),
  reason: z.string().nullable().describe('The reason, for people.'),
  srm_p: z.number().describe('How likely such shares of the units are, if nothing chooses them.'),
  srm_detected: z.boolean().describe('The units are not split as planned, so the counts cannot be compared.'),
  guardrails: z
    .array(
      z.object({
        metric: z.string().describe('What must not grow.'),
        increase: z.number().describe('The rate of the other model less that of the deployed one.'),
        lower: z.number().nullable().describe('The increase is at least this; null while nothing is known.'),
        holds: z.boolean().describe('It is not broken.'),
      }),
    )
    .describe('What must not grow; a test that breaks one stops.'),
})

export const AbTestView = AbTest.omit({
  tenant_id: true,
  mode: true,
  result: true,
  due_at: true,
  p_sequential: true,
  request_artifact_id: true,
}).extend({
  result: ResultView.nullable().describe('What the counts say now, or said at its end; null for a draft.'),
})

export function testView(test: AbTest, verdict: Verdict | undefined): z.input<typeof AbTestView> {
  const said = test.result === undefined ? verdict : (JSON.parse(test.result) as Verdict) // as it was declared
  return {
    ...test,
    result: said ? { ...said, reason: said.reason ?? null } : null,
  }
}

export async function readTest(ctx: Context, id: string) {
  const test = await findAbTest(ctx, id)
  return testView(test, test.status === 'running' ? await lookAt(ctx, test) : undefined)
}

/** Newest first. */
export async function listTests(ctx: Context, status?: string) {
  const all = await ctx.table.query(abTests, { pk: abTestsPartition(ctx.space), prefix: 'abt_', descending: true })
  const shown = all.filter((one) => status === undefined || one.status === status)
  return Promise.all(
    shown.map(async (one) => testView(one, one.status === 'running' ? await lookAt(ctx, one) : undefined)),
  )
}
