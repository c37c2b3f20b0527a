import type { States } from '../../base/lib/states.ts'
import type { User } from './user.ts'

/** A deleted account stays without name and address, so that what it did can be told. */
export const USER_STATES: States<User['status']> = {
  invited: ['active', 'suspended', 'deleted'],
  active: ['suspended', 'deleted'],
  suspended: ['active', 'invited', 'deleted'],
  deleted: [],
}
