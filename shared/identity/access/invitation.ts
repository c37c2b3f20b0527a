// An invitation is valid only while its inviter may give its roles. That is checked again when it is accepted.
import type { Table } from '../../base/table/table.ts'
import { allRoles } from '../accounts/all-roles.ts'
import { mayAct } from './grant-now.ts'
import { permissionsNow, personNow } from './permissions-now.ts'
import type { User } from '../accounts/user.ts'

/** True for an account without an inviter: the operator or the person created it. */
export async function isStillInvited(table: Table, user: User): Promise<boolean> {
  const { invitation, tenant_id } = user
  if (invitation === undefined) return true
  const inviter = invitation.ended_at === undefined && (await personNow(table, { tenant_id, id: invitation.by }))
  if (!inviter || !mayAct(inviter.user) || !inviter.permissions.has('users:write')) return false
  if (user.roles.includes('owner') && !allRoles(inviter.user).includes('owner')) return false
  const given = await permissionsNow(table, {
    ...user,
    group_roles: [],
    sso_roles: [],
    denies: [],
    proof_due: undefined,
  })
  return [...given].every((one) => one === 'self' || inviter.permissions.has(one))
}
