// Computes the tier of a decision in steps 3 to 7 of the evaluation.
import type { Verdict } from './evaluation.ts'
import type { Question } from './evaluate.ts'
import { isStricter, KINDS, maxTier, stepUp, type Tier } from '../../base/catalog/kinds.ts'

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

/**
 * An exact inverse that is HARD only by its kind, or by hints of the manifest, needs no approval. A HARD that somebody asked
 * for, that a policy sets, or that follows from the payload still needs one.
 */
function isWaived(question: Question, verdicts: readonly Verdict[]): boolean {
  const { undo, endpoint, classification } = question
  const required = maxTier(askedFor(question), endpoint.min_tier, classification.computed, ...verdicts.map(floorOf))
  return undo?.exact === true && required !== 'HARD'
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

/** The lowest tier that a fired policy permits; AUTO when it sets none. */
export function floorOf({ policy, fired }: Verdict): Tier {
  if (!fired) return 'AUTO'
  if (policy.effect === 'require_approval') return 'HARD'
  return policy.effect === 'min_tier' ? (policy.tier ?? 'HARD') : 'AUTO'
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
