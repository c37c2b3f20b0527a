import type { States } from '../../base/lib/states.ts'

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** An approved one can still be cancelled until the action claims it. */
export const APPROVAL_STATES: States<ApprovalStatus> = {
  pending: ['approved', 'rejected', 'expired', 'cancelled'],
  approved: ['cancelled'],
  rejected: [],
  expired: [],
  cancelled: [],
}
