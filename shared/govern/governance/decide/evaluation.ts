// Evaluates each policy in scope and explains the result. The explanation names facts and outcomes, never values or
// thresholds, because its reader may be the agent. The three-valued logic of conditions and the trust of an actor are here, too.
import type { CompiledPolicy, CompiledSet, LeafOutcome } from '../conditions/compile.ts'
import type { Facts } from '../conditions/fact-list.ts'
import type { Policy } from '../policy.ts'

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
  estimated?: true
}

/** Whether each policy with a limit is beyond it; unknown where that cannot be counted, or was not. */
export type Over = ReadonlyMap<string, Truth>

/** The results that a policy needs beside that of its condition: scope, limit, sequence. */
type Around = { scope: Truth; beyond: Truth; follows: Truth }

/** Results that depend on earlier actions; absent where they were not read. */
export type History = { over?: Over | undefined; followed?: Over | undefined }

/** The result of one policy in scope. Shadow policies never fire. */
export type Verdict = { policy: Policy; fired: boolean; evaluation: PolicyEvaluation }

/** Evaluates the policies in scope, high priority first, then by id. */
export function judge({ policies }: CompiledSet, facts: Facts, { over, followed }: History = {}): Verdict[] {
  const verdicts: Verdict[] = []
  for (const compiled of policies) {
    const { policy, condition } = compiled
    const scope = compiled.inScope(facts)
    if (scope === false) continue
    const beyond = policy.limit ? over?.get(policy.policy_id) : true
    const follows = policy.after ? followed?.get(policy.policy_id) : true
    const truth = all([scope, condition.test(facts), beyond, follows], (part) => part)
    const fired = policy.mode === 'enforce' && acts(policy, truth)
    verdicts.push({ policy, fired, evaluation: explain(compiled, facts, { scope, beyond, follows }, truth) })
  }
  return verdicts
}

/** Whether the policy acts: one that tightens also when its condition is unknown, one that loosens only when it is true. */
const acts = ({ effect }: Policy, truth: Truth) => (effect === 'relax_to' ? truth === true : truth !== false)

function explain(compiled: CompiledPolicy, facts: Facts, around: Around, truth: Truth): PolicyEvaluation {
  const { policy } = compiled
  const { policy_id, mode, message } = policy
  const prefix = mode === 'shadow' ? 'shadow:' : ''
  // Nothing holds the total of a shadow policy to its limit, so its result says what was last seen of it.
  const estimated = mode === 'shadow' && policy.limit ? { estimated: true as const } : {}
  if (truth === false) return { policy_id, result: `${prefix}pass`, ...estimated }
  const result = acts(policy, truth) ? resultOf(policy) : 'indeterminate'
  return {
    policy_id,
    result: prefix + result,
    basis: truth === true ? 'true' : 'unknown',
    ...(message !== undefined && { message }),
    ...estimated,
    why: whyOf(compiled, facts, around),
  }
}

const resultOf = ({ effect, tier }: Policy): string => {
  if (effect === 'min_tier') return `min_tier:${tier}`
  return effect === 'relax_to' ? `relax:${tier}` : effect
}

/** The reasons of a result: the agent when it is not proven, the limit, then the deciding leaves of the condition. */
function whyOf({ policy, condition }: CompiledPolicy, facts: Facts, { scope, beyond, follows }: Around): LeafOutcome[] {
  const why: LeafOutcome[] = scope === undefined ? [{ field: 'agent.id', op: 'glob', outcome: 'unknown' }] : []
  if (policy.limit) why.push({ field: 'limit', op: 'max', outcome: nameOf(beyond) })
  if (policy.after) why.push({ field: 'after', op: 'within', outcome: nameOf(follows) })
  const truth = condition.test(facts)
  if (scope === true || truth === undefined) condition.addDeciding(facts, truth, why)
  return why
}

// Kleene's three-valued logic. `undefined` is unknown: a missing fact could make the result true or false.

export type Truth = boolean | undefined

export const not = (truth: Truth): Truth => (truth === undefined ? undefined : !truth)

/** False if any is false, else unknown if any is unknown, else true. True for an empty list. */
export function all<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let unknown = false
  for (const item of items) {
    const truth = test(item)
    if (truth === false) return false
    if (truth === undefined) unknown = true
  }
  return unknown ? undefined : true
}

/** True if any is true, else unknown if any is unknown, else false. False for an empty list. */
export const any = <T>(items: readonly T[], test: (item: T) => Truth): Truth =>
  not(all(items, (item) => not(test(item))))

export const nameOf = (truth: Truth): 'true' | 'false' | 'unknown' => (truth === undefined ? 'unknown' : `${truth}`)

/** Counts of an actor's actions over 30 days. `violations` counts policies that rejected an action. */
export type Conduct = { ok: number; failed: number; undone: number; rejected: number; violations: number }

/**
 * The trust of an agent, key or client; a person has none. 0..100; 50 for an actor without history. Bad conduct weighs more than good.
 */
export const trustOf = ({ ok, failed, undone, rejected, violations }: Conduct): number =>
  Math.round((100 * (1 + ok)) / (2 + ok + failed + 2 * undone + 4 * rejected + 10 * violations))
