// Which feedback on an execution counts, and what it says. Nothing that an agent writes can make a rejected action look right, so
// only people count who could have decided, did not, and did not ask for it.
import type { Approval } from '../../govern/approvals/approval.ts'
import { counts } from '../../govern/approvals/votes/rules.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import type { Feedback } from './feedback.ts'

type Said = Pick<Feedback, 'rating' | 'label' | 'created_by' | 'persons' | 'may_decide'>

export function isCounting(
  { created_by, persons, may_decide }: Said,
  { requested_by, persons: behind }: Pick<Execution, 'requested_by' | 'persons'>,
  approval: Pick<Approval, 'votes'> | undefined,
): boolean {
  if (created_by.type !== 'user' || !may_decide) return false
  const all = [created_by.id, ...persons]
  const voters = approval?.votes.filter(counts).flatMap((vote) => [vote.by.id, ...vote.persons]) ?? []
  return !all.some((person) => person === requested_by.id || behind.includes(person) || voters.includes(person))
}

/** The label wins over the rating. Undefined: it takes no side. */
export function verdictOf({ rating, label }: Pick<Said, 'rating' | 'label'>): 'good' | 'bad' | undefined {
  if (label === 'correct') return 'good'
  if (label === 'incorrect' || label === 'unsafe') return 'bad'
  if (label === 'unnecessary' || rating === 0) return undefined
  return rating === 1 ? 'good' : 'bad'
}
