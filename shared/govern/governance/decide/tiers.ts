// The tier of a decision (steps 3 to 7 of the evaluation), the causes that reject an action (step 8), and the entries that explain the
// built-in rules.
import type { PolicyEvaluation, Verdict } from './evaluation.ts'
import type { Fired, Question } from './evaluate.ts'
import { isStricter, KINDS, maxTier, stepUp, type Tier } from '../../../base/catalog/kinds.ts'
import { ruleOf } from '../freeze.ts'
import { globMatches, scopeMatches } from '../conditions/glob.ts'

export type TierSteps = {
  /** The tier after step 5 if no policy raised it. */
  withoutPolicies: Tier
  trustRaises: boolean
  modelRaises: boolean
  /** Step 7: SOFT became HARD because the action is irreversible. */
  irreversible: boolean
  undoMissing: boolean
  /** The action is HARD but runs without approval, as the exact inverse of another within its undo window. */
  waived: boolean
  /** It would be HARD without the model, too. */
  hardAnyway: boolean
  final: Tier
}

export function tierSteps(question: Question, verdicts: readonly Verdict[]): TierSteps {
  const { classification, endpoint, settings, trust, model } = question
  const withoutPolicies = maxTier(baseOf(question, verdicts), classification.floor, askedFor(question))
  let tier = maxTier(withoutPolicies, ...verdicts.map(floorOf))
  const trustRaises = trust !== undefined && trust < settings.trust_floor
  const modelRaises =
    model !== undefined &&
    (model.probability === undefined || model.probability < (question.raise_below ?? settings.raise_below))
  if (trustRaises) tier = stepUp(tier)
  const before = tier
  if (modelRaises) tier = stepUp(tier)
  const wantsUndo = verdicts.some(({ policy, fired }) => fired && policy.effect === 'require_undo')
  const isIrreversible = endpoint.annotations?.irreversible === true
  const cannotUndo = wantsUndo && endpoint.undo_action_id === undefined
  const irreversible = tier === 'SOFT' && isIrreversible
  const undoMissing = tier === 'SOFT' && cannotUndo
  const final = irreversible || undoMissing ? 'HARD' : tier
  const hardAnyway = before === 'HARD' || (before === 'SOFT' && (isIrreversible || cannotUndo))
  const waived = final === 'HARD' && isWaived(question, verdicts)
  return { withoutPolicies, trustRaises, modelRaises, irreversible, undoMissing, waived, hardAnyway, final }
}

/** Steps 3 and 4: a routing rule replaces the base, relaxing policies lower it, neither below the class floor. */
function baseOf({ classification, routing }: Question, verdicts: readonly Verdict[]): Tier {
  const { classFloor } = KINDS[classification.kind]
  const own = routing?.holds
    ? (routing.base_tier ?? classification.base)
    : maxTier(routing?.base_tier, classification.base)
  const base = maxTier(own, classFloor)
  const relaxed = verdicts.flatMap(({ policy, fired }) =>
    fired && policy.effect === 'relax_to' ? (policy.tier ?? []) : [],
  )
  const lowest = relaxed.reduce<Tier>((low, tier) => (isStricter(low, tier) ? tier : low), base)
  return maxTier(lowest, classFloor)
}

/** The tier that manifest, caller and persona require explicitly. */
const askedFor = ({ endpoint, request, persona }: Question): Tier =>
  maxTier(
    hardIf(endpoint.approval_required),
    request.tier,
    hardIf(request.require_approval),
    hardIf(persona?.default_require_approval),
  )

const hardIf = (holds: boolean | undefined): Tier => (holds ? 'HARD' : 'AUTO')

/** The lowest tier that a fired policy permits; AUTO when it sets none. */
export function floorOf({ policy, fired }: Verdict): Tier {
  if (!fired) return 'AUTO'
  if (policy.effect === 'require_approval') return 'HARD'
  return policy.effect === 'min_tier' ? (policy.tier ?? 'HARD') : 'AUTO'
}

/**
 * An exact inverse that is HARD only by its kind, or by hints of the manifest, needs no approval. A HARD that somebody asked
 * for, that a policy sets, or that follows from the payload still needs one.
 */
function isWaived(question: Question, verdicts: readonly Verdict[]): boolean {
  const { undo, endpoint, classification } = question
  const required = maxTier(askedFor(question), endpoint.min_tier, classification.computed, ...verdicts.map(floorOf))
  return undo?.exact === true && required !== 'HARD'
}

/**
 * Explains the built-in rules, which apply to every tenant, in a fixed order: `class`, `manifest` and `request` always, the others where
 * they were consulted or had an effect.
 */
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

function routingEntry({ update_id, base_tier, holds }: NonNullable<Question['routing']>): PolicyEvaluation {
  if (!holds)
    return { policy_id: update_id, result: 'indeterminate', basis: 'unknown', message: 'the rule no longer loosens' }
  return entry(update_id, base_tier ? `base:${base_tier}` : 'pass')
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

/** A cause that rejects an action. `history`: a limit or a sequence, so earlier actions are the reason. */
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

/**
 * All causes: freezes, policies by priority, then the other built-in rules. The explanation lists all of them, the response names the
 * first.
 */
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

/** Allows certain nodes up to a tier and refuses everything else. It never lowers a tier. */
export type Persona = {
  persona_key: string
  /** Globs; none: all nodes. */
  allowed_nodes: readonly string[]
  denied_nodes: readonly string[]
  tier_ceiling: Tier
  default_require_approval: boolean
}

/** Why the persona refuses an action of this node and tier; undefined when it allows it. */
function refusalOf(persona: Persona, nodeId: string, tier: Tier): string | undefined {
  const { allowed_nodes, denied_nodes, tier_ceiling } = persona
  const isDenied = denied_nodes.some((glob) => globMatches(glob, nodeId))
  if (isDenied || !scopeMatches(allowed_nodes, nodeId)) return 'the persona may not use this node'
  return isStricter(tier, tier_ceiling) ? `the persona may not go above ${tier_ceiling}` : undefined
}
