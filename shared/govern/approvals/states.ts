import type { States } from '../../base/lib/states.ts'

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** An approval moves in the transaction of its execution, whose artifact proves both. An approved action can still be cancelled until it is claimed. */
export const APPROVAL_STATES: States<ApprovalStatus> = {
  pending: ['approved', 'rejected', 'expired', 'cancelled'],
  approved: ['cancelled'],
  rejected: [],
  expired: [],
  cancelled: [],
}
