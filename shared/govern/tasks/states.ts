// The life of a task as data, and how the task of an execution or an approval follows it.
import type { States } from '../../base/lib/states.ts'

export const TASK_STATUSES = ['open', 'in_progress', 'blocked', 'in_review', 'completed', 'cancelled'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** One that has ended can be opened again for 30 days. */
export const TASK_STATES: States<TaskStatus> = {
  open: ['in_progress', 'blocked', 'cancelled', 'completed'],
  in_progress: ['blocked', 'in_review', 'completed', 'open', 'cancelled'],
  blocked: ['in_progress', 'cancelled'],
  in_review: ['completed', 'in_progress'],
  completed: ['open'],
  cancelled: ['open'],
}

export const TASK_KINDS = [
  'general',
  'agent',
  'approval',
  'evidence_review',
  'remediation',
  'dsr',
  'breach_notification',
  'access_review',
  'incident_step',
] as const
export type TaskKind = (typeof TASK_KINDS)[number]

/** What software may neither be given nor decide. */
export const FOR_PEOPLE: readonly TaskKind[] = ['approval', 'evidence_review', 'access_review', 'breach_notification']

export const hasEnded = (status: TaskStatus): boolean => status === 'completed' || status === 'cancelled'

/** Where a task goes with its source. */
export type Followed = { status: TaskStatus; resolution?: string }

/**
 * Tasks know neither executions nor approvals, which look up their own status here: one without an entry does not compile there.
 * `submitted` is never stored, so nothing follows it.
 */
const OF_EXECUTION = {
  submitted: { status: 'in_progress' },
  pending_approval: { status: 'blocked' },
  approved: { status: 'in_progress' },
  executing: { status: 'in_progress' },
  executed: { status: 'completed' },
  undone: { status: 'completed', resolution: 'undone' },
  failed: { status: 'completed', resolution: 'failed' },
  outcome_unknown: { status: 'in_review' },
  rejected: { status: 'cancelled', resolution: 'rejected' },
  expired: { status: 'cancelled', resolution: 'expired' },
  cancelled: { status: 'cancelled', resolution: 'cancelled' },
} satisfies Record<string, Followed>
export type SourceStatus = keyof typeof OF_EXECUTION

const OF_APPROVAL = {
  pending: { status: 'open' },
  approved: { status: 'completed', resolution: 'approved' },
  rejected: { status: 'cancelled', resolution: 'rejected' },
  expired: { status: 'cancelled', resolution: 'expired' },
  cancelled: { status: 'cancelled', resolution: 'cancelled' },
} satisfies Record<string, Followed>

/** What becomes of a task that asked for an execution. Before, it was `in_review` or done. */
export const AFTER_ACTION: Record<SourceStatus, TaskStatus> = {
  submitted: 'in_review',
  pending_approval: 'in_review',
  approved: 'in_review',
  executing: 'in_review',
  executed: 'completed',
  outcome_unknown: 'in_review',
  failed: 'in_progress',
  undone: 'in_progress',
  rejected: 'in_progress',
  expired: 'in_progress',
  cancelled: 'in_progress',
}

/** By the type of the source. The state of these tasks is never set by hand. */
export const FOLLOWS = { execution: OF_EXECUTION, approval: OF_APPROVAL }
