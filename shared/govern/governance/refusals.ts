// Step 8 of the evaluation: causes that reject an action. The explanation lists all of them, the response the first.
import type { Fired, Question } from './evaluate.ts'
import type { Verdict } from './evaluation.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import { ruleOf } from './freeze.ts'
import { refusalOf } from './persona.ts'

/** `history`: because of what was done before, by a limit or a sequence. */
export type Refusal = Fired & { outcome: 'rejected'; history?: true }

/** The rule that answers a repeat by the rejection of its equal. */
export const REFUSED_BEFORE = 'refused_before'

const builtIn = (policy_id: string, severity: Fired['severity'], detail: string): Refusal => ({
  policy_id,
  name: policy_id,
  severity,
  effect: 'forbid',
  outcome: 'rejected',
  detail,
})

/** All causes: freezes, policies by priority, then the other built-in rules. */
export function refusalsOf(question: Question, verdicts: readonly Verdict[], tier: Tier): Refusal[] {
  const { settings, classification, persona, openApprovals, refused: before, facts, frozen = [] } = question
  const forbidding = verdicts.filter(({ policy, fired }) => fired && policy.effect === 'forbid')
  const refusals = [
    ...frozen.map((freeze) => builtIn(ruleOf(freeze), 'high', freeze.detail)),
    ...forbidding.map(({ policy }): Refusal => {
      const { policy_id, name, severity, effect, message } = policy
      const history = policy.limit || policy.after ? { history: true as const } : {}
      return { policy_id, name, severity, effect, outcome: 'rejected', detail: message ?? name, ...history }
    }),
  ]
  if (settings.pii_mode === 'block' && classification.inspection.findings.length > 0) {
    refusals.push(builtIn('pii', 'high', 'the payload holds personal data or secrets'))
  }
  const refused = persona && refusalOf(persona, facts.named['node.id'] ?? '', tier)
  if (persona && refused) refusals.push(builtIn(`persona:${persona.persona_key}`, 'medium', refused))
  if (tier === 'HARD' && openApprovals !== undefined && openApprovals >= settings.max_open_approvals) {
    refusals.push(builtIn('approval_flood', 'medium', 'too many of your actions already wait for approval'))
  }
  if (tier === 'HARD' && before) {
    const detail = `people rejected the same request a short while ago (${before.approval_id}) and are asked again in ${before.wait_s} s`
    refusals.push(builtIn(REFUSED_BEFORE, 'low', detail))
  }
  return refusals
}
