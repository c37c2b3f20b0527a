// What each policy in scope says of a request, with its explanation. That names facts and outcomes, never values or
// thresholds, because its reader may be the agent.
import type { CompiledPolicy, CompiledSet, LeafOutcome } from './compile.ts'
import type { Facts } from './fact-list.ts'
import type { Policy } from './policy.ts'
import { all, type Truth } from './truth.ts'

export type PolicyEvaluation = {
  policy_id: string
  /** `pass`, or what was done; prefixed `shadow:` for a shadow policy. */
  result: string
  basis?: 'true' | 'unknown'
  message?: string
  /** At most five deciding leaves. */
  why?: LeafOutcome[]
  /** Of a model: the probability of approval. */
  score?: number
}

/** What one policy in scope said. Shadow policies never fire. */
export type Verdict = { policy: Policy; fired: boolean; evaluation: PolicyEvaluation }

const resultOf = ({ effect, tier }: Policy): string => {
  if (effect === 'min_tier') return `min_tier:${tier}`
  return effect === 'relax_to' ? `relax:${tier}` : effect
}

/** Whether the policy acts: what tightens also does when it cannot know, what loosens only when it does. */
const acts = ({ effect }: Policy, truth: Truth) => (effect === 'relax_to' ? truth === true : truth !== false)

/** Why a policy came out as it did: the agent that it cannot tell, and what its condition reads. */
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

/** Every policy in scope, high priority first, then by id. */
export const judge = ({ policies }: CompiledSet, facts: Facts): Verdict[] =>
  policies.flatMap((compiled) => {
    const { policy, condition } = compiled
    const scope = compiled.inScope(facts)
    if (scope === false) return []
    const truth = all([scope, condition.test(facts)], (part) => part)
    const fired = policy.mode === 'enforce' && acts(policy, truth)
    return [{ policy, fired, evaluation: explain(compiled, facts, scope, truth) }]
  })
