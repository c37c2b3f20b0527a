// Turns a classification into a decision. The order of the steps decides which rule wins:
//
// 1. The classification gives a base tier and floors (`words/classify.ts`).
// 2. Each policy in scope is judged (`evaluation.ts`): fired, not fired, or unknown because a fact is missing.
// 3. A routing rule may replace the base tier.
// 4. Policies with `relax_to` may lower it. Only steps 3 and 4 lower a tier, and never below the class floor.
// 5. Floors of manifest, payload, caller and persona raise it, and after them the policies that tighten.
// 6. Low trust raises it by one step, and so does a model that expects a rejection.
// 7. SOFT becomes HARD where the action cannot be undone. The exact inverse of an execution may run without an approval.
// 8. Freezes, policies with `forbid` and built-in rules refuse. A refused action has the full evaluation, too (`tiers.ts`).
//
// The terms of a held action are merged from all policies that ask for its approval.
import type { Endpoint } from '../endpoint.ts'
import { builtInEntries, floorOf, type Persona, type Refusal, refusalsOf, type TierSteps, tierSteps } from './tiers.ts'
import type { Classification } from '../words/classify.ts'
import type { CompiledSet } from '../conditions/compile.ts'
import type { Reason } from '../payload/declared.ts'
import { judge, type Over, type PolicyEvaluation, type Verdict } from './evaluation.ts'
import type { Facts } from '../conditions/fact-list.ts'
import { type Hit, hitsOf } from './hits.ts'
import { isStricter, type Kind, type Tier } from '../../../base/catalog/kinds.ts'
import type { Frozen } from '../freeze.ts'
import type { ApprovalRule, Policy } from '../policy.ts'
import type { GovernanceSettings } from '../settings.ts'
import { grantOf, type GrantRule } from '../rule-terms.ts'

export type Question = {
  /** Made with the same payload, settings and trust. */
  classification: Classification
  endpoint: Endpoint
  facts: Facts
  set: CompiledSet
  over?: Over | undefined
  /** Which policies with `after` follow on a mark; unknown where that was not read. */
  followed?: Over | undefined
  settings: GovernanceSettings
  /** The wishes of the caller. Both members only raise the tier. */
  request: { tier?: Tier | undefined; require_approval?: boolean | undefined }
  /** 0..100 of the agent, key or client; absent for a person. */
  trust?: number | undefined
  /** How many actions of the agent or key already wait for approval; absent for a person. */
  openApprovals?: number | undefined
  /** The approval of an equal request, and for how many seconds its rejection still holds. */
  refused?: { approval_id: string; wait_s: number } | undefined
  /** The freezes that stop it. */
  frozen?: readonly Frozen[] | undefined
  /** Present when the action undoes an execution. An exact inverse needs no approval on account of its kind alone. */
  undo?: { exact: boolean } | undefined
  /**
   * An applied routing update, which replaces the base tier. Unless it `holds`, its base tier only tightens: its time is over, or it
   * was learnt on another action.
   */
  routing?: { update_id: string; base_tier?: Tier | undefined; holds: boolean } | undefined
  /** Below which probability the model raises; default: that of the settings. */
  raise_below?: number | undefined
  persona?: Persona | undefined
  /** The deployed approval model. `probability` is absent when the model could not be read. */
  model?:
    | {
        slot: string
        version: string | number
        probability?: number | undefined
        /** A second model that only says what it would do. */
        shadow?: { version: number; probability?: number | undefined } | undefined
      }
    | undefined
}

/** A policy or built-in rule that rejected the action, raised its tier, or asked for approval of an action held anyway. */
export type Fired = {
  policy_id: string
  name: string
  severity: Policy['severity']
  effect: Policy['effect']
  outcome: 'rejected' | 'raised' | 'flagged'
  detail: string
}

export type Decision = ApprovalTerms & {
  outcome: 'run' | 'hold' | 'reject'
  tier: Tier
  routing_decision: {
    strategy: 'manifest' | 'learned' | 'undo'
    tier: Tier
    kind: Kind
    confidence: number
    risk: number
    reasons: Reason[]
  }
  policy_evaluations: PolicyEvaluation[]
  fired: Fired[]
  /** The rules that did not let the action pass, at most `HITS_MAX`. */
  hits: Hit[]
  /** People would be asked without the model, too. */
  held_anyway: boolean
  /** The first cause of a rejection; absent for other outcomes. */
  rejection?: {
    policy_id: string
    message: string
    history?: true
    /** Added by the room `limits`, which counts. */
    retry_after_s?: number
  }
}

/** Decides a request, total and deterministic. A rejected action has the full evaluation, too. */
export function evaluate(question: Question): Decision {
  const { classification, set, facts, settings, routing, undo } = question
  const verdicts = judge(set, facts, question)
  const steps = tierSteps(question, verdicts)
  const refusals = refusalsOf(question, verdicts, steps.final)
  const [refusal] = refusals
  const asking = verdicts.filter(({ policy, fired }) => fired && policy.effect === 'require_approval')
  const { kind, confidence, risk } = classification
  const { final: tier, waived, hardAnyway } = steps
  return {
    outcome: refusal ? 'reject' : tier === 'HARD' && !waived ? 'hold' : 'run',
    tier,
    routing_decision: {
      strategy: undo ? 'undo' : routing ? 'learned' : 'manifest',
      tier,
      kind,
      confidence,
      risk,
      reasons: reasonsOf(classification, steps),
    },
    policy_evaluations: [...builtInEntries(question, steps, refusals), ...verdicts.map(({ evaluation }) => evaluation)],
    fired: [...refusals, ...firedOf(verdicts, steps)],
    hits: hitsOf(question, verdicts, refusals),
    held_anyway: hardAnyway && !waived,
    ...termsOf(
      asking.map(({ policy }) => policy),
      settings,
    ),
    ...(refusal && { rejection: rejectionOf(refusal, refusals) }),
  }
}

/** Policies that fired without rejecting: they raised the tier, or asked for approval of an action held anyway. */
function firedOf(verdicts: readonly Verdict[], { withoutPolicies, undoMissing, final }: TierSteps): Fired[] {
  return verdicts.flatMap((verdict): Fired[] => {
    const { policy_id, name, severity, effect, message } = verdict.policy
    if (!verdict.fired) return []
    const raised = effect === 'require_undo' ? undoMissing : isStricter(floorOf(verdict), withoutPolicies)
    if (!raised && effect !== 'require_approval') return []
    const detail = message ?? (raised ? `tier raised to ${final}` : 'approval required')
    return [{ policy_id, name, severity, effect, outcome: raised ? 'raised' : 'flagged', detail }]
  })
}

function reasonsOf({ reasons }: Classification, { irreversible, waived }: TierSteps): Reason[] {
  const isKnown = reasons.some(({ signal }) => signal === 'irreversible')
  const more: Reason[] = irreversible && !isKnown ? [{ signal: 'irreversible', floor: 'HARD' }] : []
  return [...reasons, ...more, ...(waived ? [{ signal: 'exact_inverse' }] : [])]
}

const rejectionOf = ({ policy_id, detail }: Refusal, all: readonly Refusal[]): NonNullable<Decision['rejection']> => ({
  policy_id,
  message: detail,
  ...(all.every(({ history }) => history) && { history: true }),
})

export type Stage = ApprovalRule['stages'][number]

type ApprovalTerms = {
  /** In the order of approval. */
  stages: Stage[]
  expires_in_s: number
  escalate_after_s?: number | undefined
  escalate_to?: string[] | undefined
  /** Whether the requester may approve; a policy can only forbid it. */
  allow_self: boolean
  /** The grant that the approver may give; absent unless every policy that asks permits one. */
  grant?: GrantRule | undefined
}

/** The terms under which an action is held. `policies`: those that fired with `require_approval`, by priority. */
export function termsOf(policies: readonly Policy[], settings: GovernanceSettings): ApprovalTerms {
  const rules = policies.flatMap(({ approval }) => approval ?? [])
  const stages = merge(policies.flatMap(({ approval }) => approval?.stages ?? [ANYONE]))
  const escalate_after_s = smallest(rules.map((rule) => rule.escalate_after_s))
  const grant = grantOf(policies)
  const escalate_to = [...new Set(rules.flatMap((rule) => rule.escalate_to ?? []))]
  return {
    stages: stages.length > 0 ? stages : [ANYONE],
    expires_in_s: smallest(rules.map((rule) => rule.expires_in_s)) ?? settings.approval_ttl_s,
    ...(escalate_after_s !== undefined && { escalate_after_s, escalate_to }),
    allow_self: settings.allow_self_approval && rules.every((rule) => rule.allow_self !== false),
    ...(grant && { grant }),
  }
}

const ANYONE: Stage = { groups: ['any'], min_approvals: 1, mode: 'any' }

const nameOf = ({ groups }: Stage) => [...new Set(groups)].toSorted().join(' ')

/** Merges stages with the same groups into one with the stricter rule, at the place of the first. */
function merge(stages: readonly Stage[]): Stage[] {
  const merged = new Map<string, Stage>()
  for (const stage of stages) {
    const before = merged.get(nameOf(stage)) ?? stage
    const min_approvals = Math.max(before.min_approvals, stage.min_approvals)
    const mode = [before.mode, stage.mode].includes('each') ? 'each' : 'any'
    merged.set(nameOf(stage), { groups: before.groups, min_approvals, mode })
  }
  return [...merged.values()]
}

const smallest = (numbers: (number | undefined)[]): number | undefined => {
  const given = numbers.filter((number) => number !== undefined)
  return given.length > 0 ? Math.min(...given) : undefined
}
