// Which rules did not let an action pass, and what each of them changed. Lists and reports by policy are made of it.
import { type DECIDED, HIT_RESULTS } from '../../../base/catalog/measure-words.ts'
import type { Question } from './evaluate.ts'
import type { Verdict } from './evaluation.ts'
import { type Refusal, refusalsOf, tierSteps } from './tiers.ts'

export type Hit = {
  policy_id: string
  result: (typeof HIT_RESULTS)[number]
  shadow: boolean
  /** Whether the condition was unknown. */
  unknown: boolean
  /** How the action would be decided without this rule; for a shadow policy: with it in force. */
  otherwise: (typeof DECIDED)[number]
}

/** An outbox item has room for so many. */
export const HITS_MAX = 8
/** In the place of those that have no room. */
export const FURTHER = '~further'

/** Enforced policies, then built-in rules that reject, then shadow policies; each in the order of the evaluation. */
export function hitsOf(question: Question, verdicts: readonly Verdict[], refusals: readonly Refusal[]): Hit[] {
  const found = verdicts.filter(({ evaluation }) => resultOf(evaluation.result) !== undefined)
  const known = new Set(found.map(({ policy }) => policy.policy_id))
  const of = (mode: 'enforce' | 'shadow') => found.filter(({ policy }) => policy.mode === mode)
  const all = [...of('enforce'), ...refusals.filter(({ policy_id }) => !known.has(policy_id)), ...of('shadow')]
  const hits = all
    .slice(0, HITS_MAX)
    .map((one) => ('policy' in one ? hitOf(question, verdicts, one) : refusalHit(question, verdicts, one)))
  const [last] = hits.slice(-1)
  return last && all.length > HITS_MAX ? [...hits, { ...last, policy_id: FURTHER, result: 'indeterminate' }] : hits
}

/** Undefined for one that passed. */
const resultOf = (result: string) => HIT_RESULTS.find((name) => name === result.replace('shadow:', ''))

function hitOf(question: Question, verdicts: readonly Verdict[], one: Verdict): Hit {
  const { policy, fired, evaluation } = one
  const result = resultOf(evaluation.result) ?? 'indeterminate'
  const changed = { ...one, fired: result !== 'indeterminate' && !fired }
  return {
    policy_id: policy.policy_id,
    result,
    shadow: policy.mode === 'shadow',
    unknown: evaluation.basis === 'unknown',
    otherwise: decidedBy(
      question,
      verdicts.map((each) => (each === one ? changed : each)),
    ),
  }
}

const refusalHit = (question: Question, verdicts: readonly Verdict[], { policy_id }: Refusal): Hit => ({
  policy_id,
  result: 'forbid',
  shadow: false,
  unknown: false,
  otherwise: decidedBy(question, verdicts, policy_id),
})

function decidedBy(question: Question, verdicts: readonly Verdict[], without?: string): Hit['otherwise'] {
  const { final } = tierSteps(question, verdicts)
  const refused = refusalsOf(question, verdicts, final).some(({ policy_id }) => policy_id !== without)
  return refused ? 'REJECT' : final
}
