import type { States } from '../../base/lib/states.ts'

export const UPDATE_STATUSES = [
  'proposed',
  'approved',
  'rejected',
  'expired',
  'applied',
  'superseded',
  'reverted',
  'suspended',
  'lapsed',
] as const
export type UpdateStatus = (typeof UPDATE_STATUSES)[number]

export const UPDATE_STATES: States<UpdateStatus> = {
  proposed: ['approved', 'rejected', 'expired'],
  approved: ['applied', 'expired'],
  applied: ['superseded', 'reverted', 'suspended', 'lapsed'],
  rejected: [],
  expired: [],
  superseded: [],
  reverted: [],
  suspended: [],
  lapsed: [],
}

/** Waits for people; there is at most one of a target. */
export const isOpen = ({ status }: { status: UpdateStatus }): boolean => status === 'proposed' || status === 'approved'
