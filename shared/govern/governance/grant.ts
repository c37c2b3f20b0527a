// The member `grant` of an approval rule: whoever approves may allow the same action for a while.
import { KIND_NAMES, KINDS } from '../../base/catalog/kinds.ts'
import type { Policy } from './policy.ts'

export const ALLOW_MIN_S = 60
export const ALLOW_MAX_S = 28_800
export const USES_MAX = 100

export type GrantRule = {
  max_s: number
  max_uses: number
  /** JSON pointers of the members that may differ from what was approved. */
  free: string[]
  /** Of the numbers that may be smaller than what was approved. */
  at_most: string[]
}

/** Whether each action of a kind needs an approval of its own; a kind that nobody knows does, too. */
export function needsApprovalEach(kind: string): boolean {
  const known = KIND_NAMES.find((name) => name === kind)
  return known === undefined || KINDS[known].classFloor === 'HARD'
}

/**
 * What all policies that asked for an approval permit: the smallest figures, and the members that each of them lets differ. Nothing
 * unless each of them permits it.
 */
export function grantOf(policies: readonly Pick<Policy, 'approval'>[]): GrantRule | undefined {
  const rules = policies.flatMap(({ approval }) => approval?.grant ?? [])
  const [first, ...others] = rules
  if (!first || rules.length < policies.length) return undefined
  const isFree = (pointer: string) => rules.every(({ free = [] }) => free.includes(pointer))
  const named = namedIn(first).filter((pointer) => others.every((rule) => namedIn(rule).includes(pointer)))
  return {
    max_s: Math.min(...rules.map(({ max_s }) => max_s)),
    max_uses: Math.min(...rules.map(({ max_uses }) => max_uses)),
    free: named.filter(isFree).toSorted(),
    at_most: named.filter((pointer) => !isFree(pointer)).toSorted(),
  }
}

const namedIn = ({ free = [], at_most = [] }: Partial<GrantRule>) => [...free, ...at_most]
