// What somebody may do now, a person or a credential: the rules that compute it from roles, grants and denials, and the reads
// that they need. Accounts and custom roles are read at every request and never cached.
import { type Permission, PERMISSIONS, permissionsOfRoles, ROLES } from '../../base/catalog/permissions.ts'
import { rolesGiven, type User, users } from '../accounts/user.ts'
import { Raise, raisesAt, withRaises } from '../accounts/raise.ts'
import { memory } from '../../base/lib/memory.ts'
import { key, type Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import * as z from 'zod'
import { bound } from '../../base/table/bound.ts'
import type { Principal } from '../../base/context.ts'

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
 * Who raised an account within the time in which it counts (decision 0175). Who let the holders of a custom role decide on
 * approvals also raised those of them who could not decide without that role.
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

/** Whether a person has been given more than a member has, also while they may use less of it. */
export const isMoreThanMember = (user: Rights, customRoles: readonly CustomRole[]): boolean =>
  !permissionsGiven(user, customRoles).isSubsetOf(OF_MEMBERS)

/** `raised`: who raised the account (see `raisesOf`). */
export type Person = { user: Stored<User>; permissions: Set<Permission>; raised: Raise[] }

const BUILT_IN: ReadonlySet<string> = new Set(Object.values(ROLES))
const customOf = (user: User) => rolesGiven(user).filter((role) => !BUILT_IN.has(role))

/** Names of a person's custom roles, so that these roles are read in the same round trip as the account. */
const lastSeen = memory<readonly string[]>()

/** For an account of any status; undefined when there is none. */
export async function personNow(table: Table, of: Pick<User, 'tenant_id' | 'id'>): Promise<Person | undefined> {
  const early = rolesNamed(table, of.tenant_id, lastSeen.get(of.id) ?? [])
  const [user, known] = await Promise.all([table.get(users, of), early])
  if (!user) return undefined
  lastSeen.set(user.id, customOf(user))
  const roles = await rolesOf(table, user, known)
  return { user, permissions: permissionsOfUser(user, roles), raised: raisesOf(user, roles, table.clock.now()) }
}

/** The permissions of an account that was read already. */
export const permissionsNow = async (table: Table, user: User): Promise<Set<Permission>> =>
  permissionsOfUser(user, await rolesOf(table, user))

/** The raises of an account that count now, with the custom roles as they are in the table. */
export const raisesNow = async (table: Table, user: User): Promise<Raise[]> =>
  raisesOf(user, await rolesOf(table, user), table.clock.now())

/** The custom roles. `known`: those that were read together with the account. Built-in roles need no reading. */
async function rolesOf(table: Table, user: User, known: readonly CustomRole[] = []): Promise<CustomRole[]> {
  const missing = customOf(user).filter((role) => !known.some(({ name }) => name === role))
  return [...known, ...(await rolesNamed(table, user.tenant_id, missing))]
}

/** Single reads, which join the batch of all reads that start at the same moment (decision 0003). */
async function rolesNamed(table: Table, tenant_id: string, names: readonly string[]): Promise<CustomRole[]> {
  const found = await Promise.all(names.map((name) => table.get(customRoles, { tenant_id, name })))
  return found.filter((role) => role !== undefined)
}

export const CUSTOM_ROLES_MAX = 50

/** A role that a tenant defines for itself: a set of permissions. */
export const CustomRole = z.object({
  tenant_id: z.string(),
  name: z.string().regex(/^[a-z][a-z0-9_-]{1,39}$/),
  description: z.string(),
  permissions: z.array(z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])),
  /** Who last let its holders decide on approvals; see accounts/raise.ts. */
  raised: z.array(Raise).optional(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type CustomRole = z.output<typeof CustomRole>

export const customRoles = bound({
  name: 'ROLE',
  schema: CustomRole,
  key: (of: { tenant_id: string; name: string }) => ({
    pk: key('T', of.tenant_id, 'live'),
    sk: key('ROLE', of.name),
  }),
})

/** All custom roles of the tenant, read now. */
export const freshCustomRoles = (table: Table, tenantId: string) =>
  table.query(customRoles, { pk: key('T', tenantId, 'live'), prefix: 'ROLE#', limit: CUSTOM_ROLES_MAX })

/** A credential. It may do what it was given, limited to what its maker still holds (decision 0041). */
type Made = {
  tenant_id: string
  created_by: string
  /** Belongs to the tenant: no person's rights limit it. */
  service: boolean
}

/** The person responsible for a request, also when one of their keys makes it. */
export const personBehind = ({ user_id, creator, id }: Principal): string => user_id ?? creator ?? id

/** Reads the maker of a credential; undefined for a credential of the tenant. */
export const makerOf = async (table: Table, { tenant_id, created_by, service }: Made): Promise<Person | undefined> =>
  service ? undefined : personNow(table, { tenant_id, id: created_by })

/** Invited people count, too: founders hold keys before they accept their invitation. */
export const mayAct = ({ status }: Pick<User, 'status'>): boolean => status === 'active' || status === 'invited'

/** Undefined once the maker is suspended or deleted: then the credential may do nothing. */
export function grantNow(
  { service, cap }: Pick<Made, 'service'> & { cap: readonly Permission[] },
  maker: Person | undefined,
): Set<Permission> | undefined {
  if (service) return new Set(cap)
  return maker && mayAct(maker.user) ? maker.permissions.intersection(new Set(cap)) : undefined
}

type Credential = { created_by: string; seen_by: readonly string[] }

/**
 * Who could act with a credential: its maker, who comes first, and everybody who has seen a secret of it. None of them may
 * approve its requests (decision 0047).
 */
export const personsOf = ({ created_by, seen_by }: Credential): string[] => [...new Set([created_by, ...seen_by])]

/** `seen_by` of a credential after these people have seen a secret of it, too. */
export const seenAlsoBy = (was: Credential, persons: readonly string[]): string[] => [
  ...new Set([...personsOf(was), ...persons]),
]
