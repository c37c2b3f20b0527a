// The states of an execution. `submitted` exists only inside the first transaction and is never stored.
import type { States } from '../../base/lib/states.ts'

export const EXECUTION_STATUSES = [
  'submitted',
  'pending_approval',
  'approved',
  'executing',
  'executed',
  'failed',
  'outcome_unknown',
  'undone',
  'rejected',
  'expired',
  'cancelled',
] as const

export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number]

const UNDER_WAY: readonly ExecutionStatus[] = ['submitted', 'pending_approval', 'approved', 'executing']

/** Whether it goes on without anybody's report: it may still run, or runs. */
export const isUnderWay = (status: string): boolean => UNDER_WAY.some((one) => one === status)

export const EXECUTION_STATES: States<ExecutionStatus> = {
  submitted: ['executed', 'executing', 'pending_approval', 'rejected'],
  pending_approval: ['approved', 'executed', 'rejected', 'expired', 'cancelled'],
  approved: ['executing', 'executed', 'pending_approval', 'rejected', 'cancelled'],
  executing: ['executed', 'failed', 'outcome_unknown'],
  executed: ['undone', 'failed'],
  outcome_unknown: ['executed', 'failed'],
  failed: [],
  undone: [],
  rejected: [],
  expired: [],
  cancelled: [],
}
