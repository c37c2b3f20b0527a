// What the counts of a test say now.
import type { Context } from '../../base/context.ts'
import { type AbTest, abCounts } from './ab-test.ts'
import { type Verdict, verdictOn } from './verdict.ts'

export async function lookAt({ table, space }: Context, test: AbTest): Promise<Verdict> {
  const { n = 0, only_a = 0, only_b = 0, both = 0 } = (await table.get(abCounts, { ...space, id: test.id })) ?? {}
  const plan = { ...test, shadow: true, split_b: 0.5, unit: 'execution' as const }
  const counted = { a: [{ n, k: both + only_a }], b: [{ n, k: both + only_b }], pairs: { n, only_a, only_b } }
  return verdictOn(plan, counted, [], test.p_sequential)
}
