// What is recorded and announced when a person has joined: by a link, or by the first sign-in at the identity provider.
import type { Change } from '../../ledger/audit/changed.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { allRoles } from '../accounts/all-roles.ts'
import type { User } from '../accounts/user.ts'

export const userCreated = (user: User): EventDraft => ({
  type: 'user.created',
  subject: { id: user.id, version: 1 },
  data: { user_id: user.id, email: user.email ?? '', roles: allRoles(user), source: user.source },
})

export const joined = (user: User): Change => ({
  action: 'user.created',
  artifact: 'identity.user.created',
  subject: { type: 'user', id: user.id, name: user.name },
  data: { roles: allRoles(user), source: user.source },
  events: [userCreated(user)],
})
