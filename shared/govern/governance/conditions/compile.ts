// Compiles policies to closures, once per policy set version: scope and time, conditions, comparisons. A stored comparison that this
// version of the service cannot read is always unknown.
import { type Cond, isLeaf, type Leaf, leavesOf } from './condition.ts'
import { factRow, type Facts, type Unbound } from './fact-list.ts'
import { globMatches, scopeMatches } from './glob.ts'
import { type Calendars, type Hours, withinTest } from './hours.ts'
import type { Policy } from '../policy.ts'
import { all, any, nameOf, not, type Truth } from '../decide/evaluation.ts'
import { isCredentialId } from '../../../base/lib/ids.ts'
import { OPERATORS, type Value } from './operators.ts'
import { stepsOf, valueAt, valuesAt } from './pointer.ts'

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

const inOrder = (a: Policy, b: Policy) => b.priority - a.priority || (a.policy_id < b.policy_id ? -1 : 1)

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

/** Whether the caller is one of the agents of a scope; unknown where no agent is bound to its credential. */
function isAmong(globs: readonly string[], { named, unbound }: Facts): Truth {
  const bound = named['agent.id']
  if (globs.length === 0 || bound !== undefined || !unbound) return scopeMatches(globs, bound)
  return globs.some((glob) => mayBe(glob, unbound)) ? undefined : false
}

/**
 * Whether the caller may be an agent of this name. Only an agent bound to the credential is proven. The agent that a request states
 * can bring the request under a policy that names agents, but never take it out of one.
 */
function mayBe(glob: string, { credential, stated }: Unbound): boolean {
  const isStated = stated !== undefined && globMatches(glob, stated)
  return isStated || (isCredentialId(glob) ? glob === credential : credential !== undefined)
}

export function compileCondition(cond: Cond, calendars: Calendars = NONE): Condition {
  if (isLeaf(cond)) return leafCondition(cond, calendars)
  const compiled = (part: Cond) => compileCondition(part, calendars)
  if ('not' in cond) return negation(compiled(cond.not))
  if ('all' in cond) return conjunction(cond.all.map(compiled))
  const parts = cond.any.map(compiled)
  return combination(parts, (facts) => any(parts, ({ test }) => test(facts)))
}

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

type Test = (actual: unknown) => Truth

const LIST_OPS: readonly string[] = ['any_in', 'none_in', 'all_in', 'contains', 'domain_in', 'any_domain_in']

function leafTest(leaf: Leaf, calendars: Calendars): (facts: Facts) => Truth {
  const { field, op, value, currency } = leaf
  const test = comparisonOf(leaf, calendars)
  if (field.startsWith('payload.')) {
    const steps = stepsOf(field.slice('payload.'.length))
    if (!steps) return () => undefined
    if (op === 'exists') return existenceTest(steps, value)
    return test ? payloadTest(steps, leaf, test) : () => undefined
  }
  if (!factRow(field) || !test) return () => undefined
  const read = readerOf(field)
  if (currency === undefined) return (facts) => test(read(facts))
  return (facts) => (facts.named['signals.currency'] === currency ? test(read(facts)) : undefined)
}

/** Undefined for an operator that does not exist. */
function comparisonOf({ op, value, ignore_case }: Leaf, calendars: Calendars): Test | undefined {
  if (op === 'within') return withinTest(value as Hours, calendars)
  if (op === 'exists' || !Object.hasOwn(OPERATORS, op)) return undefined
  if (!ignore_case) return OPERATORS[op](value as Value | undefined)
  const test = OPERATORS[op](folded(value) as Value | undefined)
  return (actual) => test(folded(actual))
}

/** Texts, also in lists, without regard to case and width; every other value as it is. */
function folded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(folded)
  return typeof value === 'string' ? value.normalize('NFKC').toLowerCase() : value
}

/** Reads the field of a leaf. */
function readerOf(field: string): (facts: Facts) => unknown {
  if (field.startsWith('context.')) {
    const name = field.slice('context.'.length)
    return ({ context }) => {
      const value = context && Object.hasOwn(context, name) ? context[name] : undefined
      return typeof value === 'object' ? undefined : value
    }
  }
  return ({ named }) => Reflect.get(named, field)
}

function existenceTest(steps: readonly string[], wanted: unknown): (facts: Facts) => Truth {
  const exists = ({ payload }: Facts): boolean => {
    if (!steps.includes('*')) return valueAt(payload, steps) !== undefined
    const values = valuesAt(payload, steps)
    return values !== undefined && values.length > 0 && values.every((element) => element !== undefined)
  }
  return (facts) => exists(facts) === (wanted ?? true)
}

function payloadTest(steps: readonly string[], { op }: Leaf, test: Test): (facts: Facts) => Truth {
  if (!steps.includes('*')) return ({ payload }) => test(valueAt(payload, steps))
  if (LIST_OPS.includes(op)) return ({ payload }) => test(valuesAt(payload, steps))
  return ({ payload }) => forEach(valuesAt(payload, steps), test)
}

/** The result that all elements share; unknown when elements differ or there are none. */
function forEach(values: readonly unknown[] | undefined, test: Test): Truth {
  if (!values || values.length === 0) return undefined
  const first = test(values[0])
  return values.every((value) => test(value) === first) ? first : undefined
}
