import { type Permission, permissionsOfRoles } from '../../base/catalog/permissions.ts'
import type { CustomRole } from './custom-role.ts'
import { rolesGiven } from '../accounts/all-roles.ts'
import { type Raise, raisesAt, withRaises } from '../accounts/raise.ts'
import type { User } from '../accounts/user.ts'

type Rights = Pick<User, 'roles' | 'group_roles' | 'sso_roles' | 'grants' | 'denies' | 'proof_due'>

const OF_MEMBERS = permissionsOfRoles(['member'])

/**
 * What a person may do now. Everybody has `self`. While a proof is due, at most what a member may: the account could still be
 * in the hands of a directory (decision 0174).
 */
export function permissionsOfUser(user: Rights, customRoles: readonly CustomRole[]): Set<Permission> {
  const given = permissionsGiven(user, customRoles)
  return user.proof_due === undefined ? given : given.intersection(OF_MEMBERS)
}

/** Permissions from built-in and custom roles, roles from groups, and grants, minus the denials. */
export function permissionsGiven(user: Rights, customRoles: readonly CustomRole[]): Set<Permission> {
  const roles = new Set(rolesGiven(user))
  const custom = customRoles.filter(({ name }) => roles.has(name)).flatMap(({ permissions }) => permissions)
  const held = new Set<Permission>(['self', ...permissionsOfRoles([...roles]), ...custom, ...user.grants])
  return held.difference(new Set(user.denies))
}

/**
 * Who stands behind an account now (decision 0175). Who let the holders of a custom role decide on approvals stands behind those
 * who could not decide without it.
 */
export function raisesOf(user: User, customRoles: readonly CustomRole[], now: number): Raise[] {
  const own = raisesAt(user.raised, now)
  const held = customRoles.filter(({ name }) => rolesGiven(user).includes(name))
  const since = user.confirmed_at ?? ''
  const behind = ({ raised }: CustomRole) => raisesAt(raised, now).filter(({ at }) => at > since)
  const byRoles = held.flatMap(behind)
  if (byRoles.length === 0) return own
  const others = held.filter((role) => behind(role).length === 0)
  const mayWithout = permissionsOfUser(user, others).has('approvals:decide')
  return mayWithout ? own : (withRaises(own, byRoles, user.id) ?? [])
}

/** Whether a person has been given more than a member has, whatever they may do now. */
export const isMoreThanMember = (user: Rights, customRoles: readonly CustomRole[]): boolean =>
  !permissionsGiven(user, customRoles).isSubsetOf(OF_MEMBERS)
