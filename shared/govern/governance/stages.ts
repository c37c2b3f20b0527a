// Merges the stages of all policies that ask for approval into the terms of a held action.
import { type GrantRule, grantOf } from './grant.ts'
import type { ApprovalRule, Policy } from './policy.ts'
import type { GovernanceSettings } from './settings.ts'

export type Stage = ApprovalRule['stages'][number]

export type ApprovalTerms = {
  /** In the order of approval. */
  stages: Stage[]
  expires_in_s: number
  escalate_after_s?: number | undefined
  escalate_to?: string[] | undefined
  /** Whether the requester may approve; a policy can only forbid it. */
  allow_self: boolean
  /** What the approver may allow for a while; absent where some policy permits it not. */
  grant?: GrantRule | undefined
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
