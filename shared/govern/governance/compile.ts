// Compiles policies to closures, once per policy set version.
import { isAmong } from './agents.ts'
import { type Cond, isLeaf, type Leaf, leavesOf } from './conditions.ts'
import type { Facts } from './fact-list.ts'
import { scopeMatches } from './glob.ts'
import type { Calendars } from './hours.ts'
import { leafTest } from './leaf-test.ts'
import type { Policy } from './policy.ts'
import { all, any, nameOf, not, type Truth } from './truth.ts'

/** The result of one leaf. It holds neither the actual nor the compared value, because its reader may be the agent. */
export type LeafOutcome = { field: string; op: string; outcome: 'true' | 'false' | 'unknown' }

export type Condition = {
  test: (facts: Facts) => Truth
  /** Adds the leaves that decided the result `truth`, at most 5. A leaf decides when every level above it has its outcome. */
  addDeciding: (facts: Facts, truth: Truth, to: LeafOutcome[]) => void
}

/** `inScope`: also in force by now; unknown where the policy names agents and the caller may be one of them. */
export type CompiledPolicy = { policy: Policy; inScope: (facts: Facts) => Truth; condition: Condition }

/** Enabled policies, high priority first, then by id. Immutable, so requests share it. */
export type CompiledSet = {
  readonly policies: readonly CompiledPolicy[]
  /** Those with a limit. */
  readonly limited: readonly CompiledPolicy[]
  /** The fields that some condition reads, because some facts are gathered only then. */
  readonly reads: ReadonlySet<string>
}

const DECIDING_MAX = 5
const NONE: Calendars = new Map()

function leafCondition(leaf: Leaf, calendars: Calendars): Condition {
  const test = leafTest(leaf, calendars)
  return {
    test,
    addDeciding(_, truth, to) {
      to.push({ field: leaf.field, op: leaf.op, outcome: nameOf(truth) })
    },
  }
}

function combination(parts: readonly Condition[], test: (facts: Facts) => Truth): Condition {
  return {
    test,
    addDeciding(facts, truth, to) {
      for (const part of parts) {
        if (to.length < DECIDING_MAX && part.test(facts) === truth) part.addDeciding(facts, truth, to)
      }
    },
  }
}

const negation = (part: Condition): Condition => ({
  test: (facts) => not(part.test(facts)),
  addDeciding: (facts, truth, to) => part.addDeciding(facts, not(truth), to),
})

const conjunction = (parts: readonly Condition[]) =>
  combination(parts, (facts) => all(parts, ({ test }) => test(facts)))

export function compileCondition(cond: Cond, calendars: Calendars = NONE): Condition {
  if (isLeaf(cond)) return leafCondition(cond, calendars)
  const compiled = (part: Cond) => compileCondition(part, calendars)
  if ('not' in cond) return negation(compiled(cond.not))
  if ('all' in cond) return conjunction(cond.all.map(compiled))
  const parts = cond.any.map(compiled)
  return combination(parts, (facts) => any(parts, ({ test }) => test(facts)))
}

/** Whether the policy is in force at the time of the request. */
function validityTest({ valid_from, expires_at }: Policy): (facts: Facts) => Truth {
  if (valid_from === undefined && expires_at === undefined) return () => true
  const from = valid_from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(valid_from)
  const until = expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
  return ({ named: { 'request.time': at } }) => (at === undefined ? undefined : from <= at && at < until)
}

type ScopeFact = 'node.id' | 'node.category' | 'action.id' | 'action.kind' | 'node.listing_tier'

function scopeTest({ scope }: Policy): (facts: Facts) => Truth {
  const wanted: [readonly string[], ScopeFact][] = [
    [scope.node_ids, 'node.id'],
    [scope.categories, 'node.category'],
    [scope.action_ids, 'action.id'],
    [scope.action_kinds, 'action.kind'],
    [scope.listing_tiers, 'node.listing_tier'],
  ]
  const named = wanted.filter(([globs]) => globs.length > 0)
  const matches = ({ named: facts }: Facts) => named.every(([globs, fact]) => scopeMatches(globs, facts[fact]))
  return (facts) => matches(facts) && isAmong(scope.agents, facts)
}

function compilePolicy(policy: Policy, calendars: Calendars): CompiledPolicy {
  const { when, unless } = policy
  const parts = [
    ...(when ? [compileCondition(when, calendars)] : []),
    ...(unless ? [negation(compileCondition(unless, calendars))] : []),
  ]
  const [isScope, isValid] = [scopeTest(policy), validityTest(policy)]
  const inScope = (facts: Facts) => all([isValid, isScope], (test) => test(facts))
  return { policy, inScope, condition: conjunction(parts) }
}

const inOrder = (a: Policy, b: Policy) => b.priority - a.priority || (a.policy_id < b.policy_id ? -1 : 1)

export function compileSet(policies: readonly Policy[], calendars: Calendars = NONE): CompiledSet {
  const enabled = policies.filter((policy) => policy.enabled).toSorted(inOrder)
  const leaves = enabled.flatMap(({ when, unless }) => [...leavesOf(when), ...leavesOf(unless)])
  const compiled = enabled.map((policy) => compilePolicy(policy, calendars))
  return {
    policies: compiled,
    limited: compiled.filter(({ policy }) => policy.limit),
    reads: new Set(leaves.map(({ leaf }) => leaf.field)),
  }
}
