import type { States } from '../../base/lib/states.ts'
import type { User } from './user.ts'

/** The artifact of a move goes with an entry of the audit log (`changed`). A deleted account stays, without name and address, because evidence refers to its id. */
export const USER_STATES: States<User['status']> = {
  invited: ['active', 'suspended', 'deleted'],
  active: ['suspended', 'deleted'],
  suspended: ['active', 'invited', 'deleted'],
  deleted: [],
}
