// The tier of a decision, step by step. The numbers are those of the order of evaluation in evaluate.ts.
import type { Verdict } from './evaluation.ts'
import type { Question } from './evaluate.ts'
import { isStricter, KINDS, maxTier, stepUp, type Tier } from '../../base/catalog/kinds.ts'

export type TierSteps = {
  /** 5, without the tenant's policies: what the action would be if there were none that raise. */
  withoutPolicies: Tier
  trustRaises: boolean
  modelRaises: boolean
  /** 7: SOFT became HARD because it cannot be taken back. */
  irreversible: boolean
  undoMissing: boolean
  /** HARD, and runs all the same: an exact inverse within the undo window. */
  waived: boolean
  final: Tier
}

/**
 * An exact inverse is HARD by its kind, and by hints that say no more than the kind does. For that the undo window is its
 * approval; for what somebody asks for, and for what the payload shows, it is not.
 */
function isWaived(question: Question, verdicts: readonly Verdict[]): boolean {
  const { undo, endpoint, classification } = question
  const asked = maxTier(askedFor(question), endpoint.min_tier, classification.computed, ...verdicts.map(floorOf))
  return undo?.exact === true && asked !== 'HARD'
}

/** The tier that manifest, caller and persona ask for outright. */
const askedFor = ({ endpoint, request, persona }: Question): Tier =>
  maxTier(
    hardIf(endpoint.approval_required),
    request.tier,
    hardIf(request.require_approval),
    hardIf(persona?.default_require_approval),
  )

const hardIf = (holds: boolean | undefined): Tier => (holds ? 'HARD' : 'AUTO')

/** 3 and 4: a routing rule replaces the base, relaxing policies lower it, the class floor holds against both. */
function baseOf({ classification, routing }: Question, verdicts: readonly Verdict[]): Tier {
  const { classFloor } = KINDS[classification.kind]
  const base = maxTier(routing?.base_tier ?? classification.base, classFloor)
  const relaxed = verdicts.flatMap(({ policy, fired }) =>
    fired && policy.effect === 'relax_to' ? (policy.tier ?? []) : [],
  )
  const lowest = relaxed.reduce<Tier>((low, tier) => (isStricter(low, tier) ? tier : low), base)
  return maxTier(lowest, classFloor)
}

/** The tier that a fired policy asks for at least; AUTO when it asks for none. */
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
    model !== undefined && (model.probability === undefined || model.probability < settings.raise_below)
  if (trustRaises) tier = stepUp(tier)
  if (modelRaises) tier = stepUp(tier)
  const wantsUndo = verdicts.some(({ policy, fired }) => fired && policy.effect === 'require_undo')
  const irreversible = tier === 'SOFT' && endpoint.annotations?.irreversible === true
  const undoMissing = tier === 'SOFT' && wantsUndo && endpoint.undo_action_id === undefined
  const final = irreversible || undoMissing ? 'HARD' : tier
  const waived = final === 'HARD' && isWaived(question, verdicts)
  return { withoutPolicies, trustRaises, modelRaises, irreversible, undoMissing, waived, final }
}
