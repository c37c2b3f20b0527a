// What each policy in scope says of a request, with its explanation. That names facts and outcomes, never values or
// thresholds, because its reader may be the agent.
import type { CompiledPolicy, CompiledSet, LeafOutcome } from './compile.ts'
import type { Facts } from './fact-list.ts'
import type { Policy } from './policy.ts'
import type { Truth } from './truth.ts'

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

function explain({ policy, condition }: CompiledPolicy, facts: Facts, truth: Truth): PolicyEvaluation {
  const { policy_id, mode, message } = policy
  const prefix = mode === 'shadow' ? 'shadow:' : ''
  if (truth === false) return { policy_id, result: `${prefix}pass` }
  const result = acts(policy, truth) ? resultOf(policy) : 'indeterminate'
  const why: LeafOutcome[] = []
  condition.addDeciding(facts, truth, why)
  return {
    policy_id,
    result: prefix + result,
    basis: truth === true ? 'true' : 'unknown',
    ...(message !== undefined && { message }),
    why,
  }
}

/** Every policy in scope, high priority first, then by id. */
export const judge = ({ policies }: CompiledSet, facts: Facts): Verdict[] =>
  policies
    .filter(({ inScope }) => inScope(facts))
    .map((compiled) => {
      const { policy, condition } = compiled
      const truth = condition.test(facts)
      const fired = policy.mode === 'enforce' && acts(policy, truth)
      return { policy, fired, evaluation: explain(compiled, facts, truth) }
    })
