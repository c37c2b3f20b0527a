// Explains the built-in rules, which apply to every tenant, in a fixed order.
import type { Question } from './evaluate.ts'
import type { PolicyEvaluation } from './evaluation.ts'
import { ruleOf } from './freeze.ts'
import { maxTier, type Tier } from '../../base/catalog/kinds.ts'
import { type Refusal, REFUSED_BEFORE } from './refusals.ts'
import type { TierSteps } from './tiers.ts'

const entry = (policy_id: string, result: string, message?: string): PolicyEvaluation =>
  result === 'pass' ? { policy_id, result } : { policy_id, result, basis: 'true', ...(message && { message }) }

const floorResult = (floor: Tier) => (floor === 'AUTO' ? 'pass' : `min_tier:${floor}`)

function manifestEntry({ endpoint, classification }: Question, { irreversible }: TierSteps): PolicyEvaluation {
  if (endpoint.approval_required) return entry('manifest', 'require_approval', 'the manifest requires approval')
  const floor = maxTier(classification.declared, irreversible ? 'HARD' : 'AUTO')
  return entry('manifest', floorResult(floor), 'the manifest declares it')
}

function requestEntry({ request }: Question): PolicyEvaluation {
  if (request.require_approval) return entry('request', 'require_approval', 'the caller requires approval')
  return entry('request', floorResult(request.tier ?? 'AUTO'), 'the caller asks for it')
}

function modelEntry(model: NonNullable<Question['model']>, raises: boolean): PolicyEvaluation {
  const policy_id = `model:${model.slot}@${model.version}`
  if (model.probability === undefined) {
    return { policy_id, result: 'indeterminate', basis: 'unknown', message: 'the model could not be read' }
  }
  const message = 'the model expects a rejection'
  return { ...entry(policy_id, raises ? 'raise' : 'pass', message), score: model.probability }
}

/** It changes nothing. */
function shadowEntry(
  slot: string,
  { version, probability }: NonNullable<NonNullable<Question['model']>['shadow']>,
  { raise_below, settings }: Question,
): PolicyEvaluation {
  const policy_id = `model:${slot}@${version}`
  if (probability === undefined)
    return { policy_id, result: 'indeterminate', basis: 'unknown', message: 'the model could not be read' }
  const raises = probability < (raise_below ?? settings.raise_below)
  return { policy_id, result: `shadow:${raises ? 'raise' : 'pass'}`, basis: 'true', score: probability }
}

function routingEntry({ update_id, base_tier, holds }: NonNullable<Question['routing']>): PolicyEvaluation {
  if (!holds)
    return { policy_id: update_id, result: 'indeterminate', basis: 'unknown', message: 'the rule no longer loosens' }
  return entry(update_id, base_tier ? `base:${base_tier}` : 'pass')
}

/** `class`, `manifest` and `request` always; the others where they were consulted or had an effect. */
export function builtInEntries(question: Question, steps: TierSteps, refusals: readonly Refusal[]): PolicyEvaluation[] {
  const { classification, routing, persona, model } = question
  const refused = (policy_id: string) => refusals.find((refusal) => refusal.policy_id === policy_id)
  const entries = [
    entry('class', floorResult(classification.computed), 'the payload or the spelling of the action asks for it'),
    manifestEntry(question, steps),
    requestEntry(question),
  ]
  for (const freeze of question.frozen ?? []) entries.push(entry(ruleOf(freeze), 'forbid', freeze.detail))
  if (routing) entries.push(routingEntry(routing))
  if (persona) {
    const policy_id = `persona:${persona.persona_key}`
    const refusal = refused(policy_id)
    const raised = persona.default_require_approval ? 'require_approval' : 'pass'
    entries.push(entry(policy_id, refusal ? 'forbid' : raised, refusal?.detail ?? 'the persona requires approval'))
  }
  if (classification.inspection.findings.length > 0) {
    entries.push(entry('pii', refused('pii') ? 'forbid' : 'pass', refused('pii')?.detail))
  }
  if (steps.trustRaises) entries.push(entry('trust', 'raise', 'the trust of the agent is below the floor'))
  if (model) entries.push(modelEntry(model, steps.modelRaises))
  if (model?.shadow) entries.push(shadowEntry(model.slot, model.shadow, question))
  const flood = refused('approval_flood')
  if (flood) entries.push(entry('approval_flood', 'forbid', flood.detail))
  const before = refused(REFUSED_BEFORE)
  if (before) entries.push(entry(REFUSED_BEFORE, 'forbid', before.detail))
  return entries
}
