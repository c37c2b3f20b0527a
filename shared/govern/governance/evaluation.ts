// Evaluates each policy in scope and explains the result. The explanation names facts and outcomes, never values or
// thresholds, because its reader may be the agent.
import type { CompiledPolicy, CompiledSet, LeafOutcome } from './compile.ts'
import type { Facts } from './fact-list.ts'
import type { Policy } from './policy.ts'
import { all, type Truth } from './truth.ts'

export type PolicyEvaluation = {
  policy_id: string
  /** `pass` or the effect; prefixed `shadow:` for a shadow policy. */
  result: string
  basis?: 'true' | 'unknown'
  message?: string
  /** At most five deciding leaves. */
  why?: LeafOutcome[]
  /** The probability of approval, for an entry of a model. */
  score?: number
}

/** The result of one policy in scope. Shadow policies never fire. */
export type Verdict = { policy: Policy; fired: boolean; evaluation: PolicyEvaluation }

const resultOf = ({ effect, tier }: Policy): string => {
  if (effect === 'min_tier') return `min_tier:${tier}`
  return effect === 'relax_to' ? `relax:${tier}` : effect
}

/** Whether the policy acts: one that tightens also when its condition is unknown, one that loosens only when it is true. */
const acts = ({ effect }: Policy, truth: Truth) => (effect === 'relax_to' ? truth === true : truth !== false)

/** The reasons of a result: the agent when it is not proven, then the deciding leaves of the condition. */
function whyOf({ condition }: CompiledPolicy, facts: Facts, scope: Truth): LeafOutcome[] {
  const why: LeafOutcome[] = scope === undefined ? [{ field: 'agent.id', op: 'glob', outcome: 'unknown' }] : []
  const truth = condition.test(facts)
  if (scope === true || truth === undefined) condition.addDeciding(facts, truth, why)
  return why
}

function explain(compiled: CompiledPolicy, facts: Facts, scope: Truth, truth: Truth): PolicyEvaluation {
  const { policy } = compiled
  const { policy_id, mode, message } = policy
  const prefix = mode === 'shadow' ? 'shadow:' : ''
  if (truth === false) return { policy_id, result: `${prefix}pass` }
  const result = acts(policy, truth) ? resultOf(policy) : 'indeterminate'
  return {
    policy_id,
    result: prefix + result,
    basis: truth === true ? 'true' : 'unknown',
    ...(message !== undefined && { message }),
    why: whyOf(compiled, facts, scope),
  }
}

/** Evaluates the policies in scope, high priority first, then by id. */
export const judge = ({ policies }: CompiledSet, facts: Facts): Verdict[] =>
  policies.flatMap((compiled) => {
    const { policy, condition } = compiled
    const scope = compiled.inScope(facts)
    if (scope === false) return []
    const truth = all([scope, condition.test(facts)], (part) => part)
    const fired = policy.mode === 'enforce' && acts(policy, truth)
    return [{ policy, fired, evaluation: explain(compiled, facts, scope, truth) }]
  })
