// What the counts of a test say now.
import type { Context } from '../../base/context.ts'
import type { Share } from '../statistics/variance.ts'
import { type AbTest, abCounts, type ArmCounts, armCounts, armsPartition, type Metric } from './ab-test.ts'
import { type Verdict, verdictOn } from './verdict.ts'

export const lookAt = (ctx: Context, test: AbTest): Promise<Verdict> =>
  (test.shadow ? lookAtPairs : lookAtArms)(ctx, test)

async function lookAtPairs({ table, space }: Context, test: AbTest): Promise<Verdict> {
  const { n = 0, only_a = 0, only_b = 0, both = 0 } = (await table.get(abCounts, { ...space, id: test.id })) ?? {}
  const counted = { a: [{ n, k: both + only_a }], b: [{ n, k: both + only_b }], pairs: { n, only_a, only_b } }
  return verdictOn(test, counted, [], test.p_sequential)
}

async function lookAtArms({ table, space }: Context, test: AbTest): Promise<Verdict> {
  const items = await table.query(armCounts, { pk: armsPartition(space, test.id) })
  const [a, b] = [items.filter(({ sk }) => sk.startsWith('a#')), items.filter(({ sk }) => sk.startsWith('b#'))]
  const arms = (metric: Metric) => ({ a: sharesOf(a, metric), b: sharesOf(b, metric) })
  const assigned = { a: unitsIn(test, a), b: unitsIn(test, b) }
  const guards = test.guardrails.map((guard) => ({ ...guard, ...arms(guard.metric) }))
  return verdictOn(test, { ...arms(test.primary_metric), assigned }, guards, test.p_sequential)
}

/** A unit that says nothing about the metric is not among those that vary. */
const sharesOf = (arm: readonly ArmCounts[], metric: Metric): Share[] =>
  arm.map((unit) => ({ n: unit[`${metric}_n`], k: unit[`${metric}_k`] })).filter(({ n }) => n > 0)

const unitsIn = ({ unit }: AbTest, arm: readonly ArmCounts[]): number =>
  unit === 'execution' ? arm.reduce((sum, { assigned_n }) => sum + assigned_n, 0) : arm.length
