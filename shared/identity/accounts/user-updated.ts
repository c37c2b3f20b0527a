import type { EventDraft } from '../../ledger/events/event.ts'
import { conflict } from '../../base/lib/failure.ts'
import { allRoles } from './all-roles.ts'
import type { User } from './user.ts'

/** `version`: the version of the account after the change. */
export const userUpdated = (user: User, version: number, changed_fields: string[], source: string): EventDraft => ({
  type: 'user.updated',
  subject: { id: user.id, version },
  data: { user_id: user.id, changed_fields, roles: allRoles(user), source },
})

export const changedMeanwhile = () => conflict('The account was changed by another request. Try again.')
