// The member `grant` of an approval rule: whoever approves may allow the same action for a while.
import { KIND_NAMES, KINDS } from '../../base/catalog/kinds.ts'
import type { Problem } from './conditions.ts'
import { scopeMatches } from './glob.ts'
import type { Policy, PolicyBody } from './policy.ts'

export const ALLOW_MIN_S = 60
export const ALLOW_MAX_S = 28_800
export const USES_MAX = 100

export type GrantRule = { max_s: number; max_uses: number }

/** Whether each action of a kind needs an approval of its own; a kind that nobody knows does, too. */
export function needsApprovalEach(kind: string): boolean {
  const known = KIND_NAMES.find((name) => name === kind)
  return known === undefined || KINDS[known].classFloor === 'HARD'
}

export function* grantProblems({ approval, scope: { action_kinds } }: PolicyBody): Generator<Problem> {
  if (!approval?.grant || action_kinds.length === 0) return
  const kinds = KIND_NAMES.filter((kind) => scopeMatches(action_kinds, kind))
  if (kinds.length > 0 && kinds.every(needsApprovalEach))
    yield { path: ['approval', 'grant'], message: 'the kinds of the scope need an approval each time' }
}

/** What all policies that asked for an approval permit: the smallest figures; nothing unless each of them permits it. */
export function grantOf(policies: readonly Pick<Policy, 'approval'>[]): GrantRule | undefined {
  const rules = policies.flatMap(({ approval }) => approval?.grant ?? [])
  if (rules.length === 0 || rules.length < policies.length) return undefined
  return {
    max_s: Math.min(...rules.map(({ max_s }) => max_s)),
    max_uses: Math.min(...rules.map(({ max_uses }) => max_uses)),
  }
}
