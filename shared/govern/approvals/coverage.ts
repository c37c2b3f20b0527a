import type { Decision } from '../governance/decide/evaluate.ts'
import type { Approval, Stage } from './approval.ts'

type Needed = Decision['stages'][number]

/** Whether an approval asked for at least what the decision requires now. Any approval covers what no policy requires. */
export function isCovered({ stages, allow_self }: Approval, { fired, escalate_to = [], ...needed }: Decision): boolean {
  if (!fired.some(({ effect }) => effect === 'require_approval')) return true
  if (allow_self && !needed.allow_self) return false
  return needed.stages.every((stage) => stages.some((given) => satisfies(given, stage, escalate_to)))
}

/** An escalation may have added groups. */
function satisfies(given: Stage, needed: Needed, escalate_to: readonly string[]): boolean {
  const widest = [...needed.groups, ...escalate_to]
  return (
    given.min_approvals >= needed.min_approvals &&
    (given.mode === 'each' || needed.mode === 'any') &&
    needed.groups.every((group) => given.groups.includes(group)) &&
    given.groups.every((group) => widest.includes(group))
  )
}
