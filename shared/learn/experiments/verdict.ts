// What the counts of an A/B test say. The verdict is pure: the same counts and the same former p-value give the same one.
import { type Bounds, confidenceSequence, nextP, sampleRatio, zTest } from '../statistics/sequential.ts'
import {
  clustered,
  type Effect,
  independent,
  type Interval,
  paired,
  type Pairs,
  type Share,
  total,
  wilson,
} from '../statistics/variance.ts'
import type { Context } from '../../base/context.ts'
import { abCounts, type AbTest, type ArmCounts, armCounts, armsPartition, type Metric } from './ab-test.ts'

export type Plan = {
  shadow: boolean
  split_b: number
  unit: 'agent' | 'execution' | 'user'
  direction: 'higher' | 'lower'
  alpha: number
  /** Of each arm; of the pairs in a shadow test. */
  min_samples: number
  min_effect: number
}

/** What was counted: a share of each agent or user, one of all executions; `pairs` in a shadow test. */
export type Counted = {
  a: readonly Share[]
  b: readonly Share[]
  pairs?: Pairs | undefined
  /** How many units were assigned to each arm, measured or not; in a live test. */
  assigned?: { a: number; b: number } | undefined
}

/** An increase of a metric that nobody wants, as counted in each arm. */
export type Guard = { metric: string; max_increase: number; a: readonly Share[]; b: readonly Share[] }

type ArmResult = {
  n: number
  units: number
  successes: number
  rate: number | null
  ci95: Interval | null
}

export type Verdict = {
  arms: { a: ArmResult; b: ArmResult }
  effect: number
  ci_sequential: Bounds | null
  z: number | null
  p_value: number | null
  p_sequential: number
  srm_p: number
  srm_detected: boolean
  guardrails: { metric: string; increase: number; lower: number | null; holds: boolean }[]
  winner: 'a' | 'b' | null
  outcome: 'winner' | 'inconclusive'
  reason?: 'too_few_samples' | 'too_few_units' | 'sample_ratio' | 'guardrail' | 'no_difference' | 'effect_too_small'
}

/** The variance between fewer units is not known. */
const UNITS_MIN = 20

/** `former_p`: the smallest p-value of all looks before; 1 at first. */
export function verdictOn(plan: Plan, counted: Counted, guards: readonly Guard[], former_p: number): Verdict {
  const arms = { a: armResult(counted.a), b: armResult(counted.b) }
  const seen = effectOf(plan, counted)
  const few = tooFew(plan, counted, arms)
  const p_sequential = few ? former_p : nextP(former_p, seen)
  const ratio = plan.shadow
    ? { srm_p: 1, srm_detected: false }
    : sampleRatio(counted.assigned ?? unitsOf(plan, arms), plan.split_b)
  const guardrails = guards.map((guard) => guardrail(plan, guard))
  const usual = zTest(seen)
  const reason = few ?? reasonAgainst(plan, { seen, p_sequential, guardrails, srm_detected: ratio.srm_detected })
  const isBetter = plan.direction === 'higher' ? seen.effect > 0 : seen.effect < 0
  return {
    arms,
    effect: seen.effect,
    ci_sequential: confidenceSequence(seen, plan.alpha),
    z: usual?.z ?? null,
    p_value: usual?.p_value ?? null,
    p_sequential,
    srm_p: ratio.srm_p,
    srm_detected: ratio.srm_detected,
    guardrails,
    ...(reason
      ? { winner: null, outcome: 'inconclusive' as const, reason }
      : { winner: isBetter ? ('b' as const) : ('a' as const), outcome: 'winner' as const }),
  }
}

function armResult(units: readonly Share[]): ArmResult {
  const { n, k } = total(units)
  return { n, units: units.length, successes: k, rate: n === 0 ? null : k / n, ci95: wilson({ k, n }) }
}

function effectOf({ shadow, unit }: Plan, { a, b, pairs }: Counted): Effect {
  if (shadow) return paired(pairs ?? { n: 0, only_a: 0, only_b: 0 })
  return unit === 'execution' ? independent(total(a), total(b)) : clustered(a, b)
}

function tooFew(plan: Plan, { pairs }: Counted, { a, b }: Verdict['arms']): Verdict['reason'] {
  const samples = plan.shadow ? (pairs?.n ?? 0) : Math.min(a.n, b.n)
  if (samples < plan.min_samples) return 'too_few_samples'
  const inUnits = !plan.shadow && plan.unit !== 'execution'
  return inUnits && Math.min(a.units, b.units) < UNITS_MIN ? 'too_few_units' : undefined
}

/** An execution is its own unit. */
const unitsOf = ({ unit }: Plan, { a, b }: Verdict['arms']) =>
  unit === 'execution' ? { a: a.n, b: b.n } : { a: a.units, b: b.units }

/** Breached once even the lower end of the increase is more than what is allowed. */
function guardrail(plan: Plan, { metric, max_increase, a, b }: Guard) {
  const seen = plan.unit === 'execution' ? independent(total(a), total(b)) : clustered(a, b)
  const lower = confidenceSequence(seen, plan.alpha)?.lower ?? null
  return { metric, increase: seen.effect, lower, holds: lower === null || lower <= max_increase }
}

type Against = Pick<Verdict, 'p_sequential' | 'guardrails' | 'srm_detected'> & { seen: Effect }

function reasonAgainst(plan: Plan, { seen, p_sequential, guardrails, srm_detected }: Against): Verdict['reason'] {
  if (srm_detected) return 'sample_ratio'
  if (guardrails.some(({ holds }) => !holds)) return 'guardrail'
  if (p_sequential > plan.alpha) return 'no_difference'
  return Math.abs(seen.effect) < plan.min_effect ? 'effect_too_small' : undefined
}

/** Reads the counts of a test and computes its verdict of now. */
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
