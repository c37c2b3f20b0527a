// Compiles policies to closures, once per policy set version. A stored leaf that this version of the service cannot read is
// always unknown, so a policy that tightens fires.
import { isAmong } from './agents.ts'
import { type Cond, isLeaf, type Leaf } from './conditions.ts'
import { factRow, type Facts } from './fact-list.ts'
import { scopeMatches } from './glob.ts'
import { OPERATORS } from './operators.ts'
import { stepsOf, valueAt, valuesAt } from './pointer.ts'
import type { Policy } from './policy.ts'
import { all, any, nameOf, not, type Truth } from './truth.ts'

/** The result of one leaf. It holds neither the actual nor the compared value, because its reader may be the agent. */
export type LeafOutcome = { field: string; op: string; outcome: 'true' | 'false' | 'unknown' }

export type Condition = {
  test: (facts: Facts) => Truth
  /** Adds the leaves that decided the result `truth`, at most 5. A leaf decides when every level above it has its outcome. */
  addDeciding: (facts: Facts, truth: Truth, to: LeafOutcome[]) => void
}

/** `inScope` is unknown where the policy names agents and the caller may be one of them. */
export type CompiledPolicy = { policy: Policy; inScope: (facts: Facts) => Truth; condition: Condition }

/** Enabled policies, high priority first, then by id. Immutable, so requests share it. */
export type CompiledSet = { readonly policies: readonly CompiledPolicy[] }

const DECIDING_MAX = 5

const LIST_OPS: readonly string[] = ['any_in', 'none_in', 'all_in', 'contains', 'domain_in']

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

/** The result that all elements share; unknown when elements differ or there are none. */
function forEach(values: readonly unknown[] | undefined, test: (value: unknown) => Truth): Truth {
  if (!values || values.length === 0) return undefined
  const first = test(values[0])
  return values.every((value) => test(value) === first) ? first : undefined
}

function payloadTest(steps: readonly string[], { op, value }: Leaf): (facts: Facts) => Truth {
  const many = steps.includes('*')
  if (op === 'exists') {
    const exists = ({ payload }: Facts): boolean => {
      if (!many) return valueAt(payload, steps) !== undefined
      const values = valuesAt(payload, steps)
      return values !== undefined && values.length > 0 && values.every((element) => element !== undefined)
    }
    return (facts) => exists(facts) === (value ?? true)
  }
  const test = OPERATORS[op](value)
  if (!many) return ({ payload }) => test(valueAt(payload, steps))
  if (LIST_OPS.includes(op)) return ({ payload }) => test(valuesAt(payload, steps))
  return ({ payload }) => forEach(valuesAt(payload, steps), test)
}

function leafTest(leaf: Leaf): (facts: Facts) => Truth {
  const { field, op, value } = leaf
  if (field.startsWith('payload.')) {
    const steps = stepsOf(field.slice('payload.'.length))
    return steps ? payloadTest(steps, leaf) : () => undefined
  }
  if (!factRow(field) || op === 'exists' || !Object.hasOwn(OPERATORS, op)) return () => undefined
  const [read, test] = [readerOf(field), OPERATORS[op](value)]
  return (facts) => test(read(facts))
}

function leafCondition(leaf: Leaf): Condition {
  const test = leafTest(leaf)
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

export function compileCondition(cond: Cond): Condition {
  if (isLeaf(cond)) return leafCondition(cond)
  if ('not' in cond) return negation(compileCondition(cond.not))
  if ('all' in cond) return conjunction(cond.all.map(compileCondition))
  const parts = cond.any.map(compileCondition)
  return combination(parts, (facts) => any(parts, ({ test }) => test(facts)))
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

function compilePolicy(policy: Policy): CompiledPolicy {
  const { when, unless } = policy
  const parts = [...(when ? [compileCondition(when)] : []), ...(unless ? [negation(compileCondition(unless))] : [])]
  return { policy, inScope: scopeTest(policy), condition: conjunction(parts) }
}

const inOrder = (a: Policy, b: Policy) => b.priority - a.priority || (a.policy_id < b.policy_id ? -1 : 1)

export const compileSet = (policies: readonly Policy[]): CompiledSet => ({
  policies: policies
    .filter(({ enabled }) => enabled)
    .toSorted(inOrder)
    .map(compilePolicy),
})
