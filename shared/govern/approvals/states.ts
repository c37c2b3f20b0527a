// The states of an approval, and the moves between them.
import type { States } from '../../base/lib/states.ts'

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** An approval moves in the transaction of its execution, whose artifact proves both. It can be cancelled until its action is claimed. */
export const APPROVAL_STATES: States<ApprovalStatus> = {
  pending: ['approved', 'rejected', 'expired', 'cancelled'],
  approved: ['cancelled'],
  rejected: [],
  expired: [],
  cancelled: [],
}
