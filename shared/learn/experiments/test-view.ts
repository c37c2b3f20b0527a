import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { abTestsPartition, AbTest, abTests, findAbTest } from './ab-test.ts'
import { lookAt } from './look.ts'
import type { Verdict } from './verdict.ts'

const rate = z.number().nullable()
const Interval = z.object({ lower: z.number(), upper: z.number() }).nullable()
const Arm = z.object({ n: z.int(), units: z.int(), successes: z.int(), rate, ci95: Interval })

export const ResultView = z.object({
  arms: z.object({ a: Arm, b: Arm }),
  effect: z.number(),
  ci_sequential: Interval,
  z: z.number().nullable(),
  p_value: z.number().nullable(),
  p_sequential: z.number(),
  winner: z.enum(['a', 'b']).nullable(),
  outcome: z.enum(['winner', 'inconclusive']),
  reason: z.string().nullable(),
  srm_p: z.number(),
  srm_detected: z.boolean(),
  guardrails: z.array(
    z.object({ metric: z.string(), increase: z.number(), lower: z.number().nullable(), holds: z.boolean() }),
  ),
})

export const AbTestView = AbTest.omit({
  tenant_id: true,
  mode: true,
  result: true,
  due_at: true,
  p_sequential: true,
  request_artifact_id: true,
}).extend({
  /** What the counts say now, or said at its end; null for a draft. */
  result: ResultView.nullable(),
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
