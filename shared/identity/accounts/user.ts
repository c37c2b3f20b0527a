// People. An account belongs to exactly one tenant; the same address may have accounts in several.
import * as z from 'zod'
import { type Permission, PERMISSIONS } from '../../base/catalog/permissions.ts'
import { sha256 } from '../../base/lib/json.ts'
import { canonicalMailbox, writtenMailbox } from '../../base/lib/mailbox.ts'
import { bound } from '../../base/table/bound.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { Raise } from './raise.ts'
import type { States } from '../../base/lib/states.ts'

type RolesOf = { readonly [Source in 'roles' | 'group_roles' | 'sso_roles']: readonly string[] }

/** Roles given to the person, and roles from groups of their directory and of their identity provider, without duplicates. */
export const rolesGiven = ({ roles, group_roles, sso_roles }: RolesOf): string[] => [
  ...new Set([...roles, ...group_roles, ...sso_roles]),
]

/** Those in force: while a proof is due, a person is a member at most. */
export const allRoles = (of: RolesOf & { readonly proof_due?: ProofDue | undefined }): string[] =>
  rolesGiven(of).filter((role) => of.proof_due === undefined || role === 'member')

/**
 * What a person has yet to prove after a directory made their account or changed how it is opened. Until then the account is
 * good for what members may, so that somebody with the key of the directory gets no more by it (decision 0174). In the order
 * of strength. `address`: any link that was mailed to the person. `password`: the directory knows the password, so
 * only a link that sets another one. `provider`: the mailbox may not be the person's, so only a sign-in through the tenant's
 * identity provider.
 */
export const ProofDue = z.enum(['address', 'password', 'provider'])
export type ProofDue = z.output<typeof ProofDue>

const STRENGTH = ProofDue.options

/** What is due once another proof is due as well. A proof that was due stays due. */
export const stronger = (was: ProofDue | undefined, next: ProofDue): ProofDue =>
  was !== undefined && STRENGTH.indexOf(was) > STRENGTH.indexOf(next) ? was : next

/** What is due after the person has given this proof. */
export const dueAfter = (due: ProofDue | undefined, given: ProofDue): ProofDue | undefined =>
  due === undefined || STRENGTH.indexOf(due) <= STRENGTH.indexOf(given) ? undefined : due

export const USER_STATUSES = ['invited', 'active', 'suspended', 'deleted'] as const
/**
 * Who vouches that the address of an account belongs to its person. `operator`: who founded the tenant. `directory`: of a domain
 * that the tenant has verified. `link`: somebody opened the link in the mail, without the password. `person`: who knows the
 * password, or has just set it, has opened a link. `provider`: the identity provider at a sign-in.
 */
const VOUCHERS = ['operator', 'directory', 'link', 'person', 'provider'] as const
export type Voucher = (typeof VOUCHERS)[number]

export const USER_SOURCES = ['register', 'invite', 'sso', 'scim'] as const

const permission = z.enum(Object.keys(PERMISSIONS) as [Permission, ...Permission[]])

export const User = z.object({
  /** The pool's `sub` (a UUID): also `sub` of tokens and the SCIM id. */
  id: z.string(),
  tenant_id: z.string(),
  /** Its name in the pool, which is never shown. */
  username: z.string(),
  /** null: cannot sign in until it has one. Erased with the name when the account is deleted. */
  email: z.string().nullable(),
  email_verified: z.boolean(),
  verified_by: z.enum(VOUCHERS).optional(),
  name: z.string(),
  roles: z.array(z.string()),
  /** Roles from groups of a directory. */
  group_roles: z.array(z.string()).default([]),
  /** Roles from groups that the identity provider named at the last sign-in through it. */
  sso_roles: z.array(z.string()).default([]),
  grants: z.array(permission).default([]),
  denies: z.array(permission).default([]),
  status: z.enum(USER_STATUSES),
  source: z.enum(USER_SOURCES),
  mfa_enrolled: z.boolean().default(false),
  locked_until: z.string().nullable().default(null),
  last_login_at: z.string().nullable().default(null),
  /** Sessions and tokens from before this instant are refused, so that one write ends all of them. */
  tokens_valid_after: z.string().nullable().default(null),
  /** Epochs of one-time links by purpose. Using a link raises the epoch, which makes all others of the purpose invalid. */
  epochs: z.record(z.string(), z.int()).default({}),
  /** Who invited the person and is responsible for their roles. Removed when they join. */
  invitation: z.object({ by: z.string(), ended_at: z.string().optional() }).optional(),
  /** Who raised the account; see raise.ts. */
  raised: z.array(Raise).optional(),
  /** When a second person or the identity provider last vouched for it. */
  confirmed_at: z.string().optional(),
  /** Until the person has proven this, they may do at most what a member may. */
  proof_due: ProofDue.optional(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type User = z.output<typeof User>

export const verifiedAs = (verified_by: Voucher | undefined) => ({
  email_verified: verified_by !== undefined,
  verified_by,
})

/**
 * Whether the person at the address and the person who uses the account are known to be one. A link alone does not say who set
 * the password, and neither does a directory.
 */
export const isProven = ({ email_verified, verified_by }: Pick<User, 'email_verified' | 'verified_by'>): boolean =>
  email_verified && verified_by !== 'link' && verified_by !== 'directory'

/** Initial values of a new account. */
export const NEW_USER = {
  group_roles: [],
  sso_roles: [],
  grants: [],
  denies: [],
  mfa_enrolled: false,
  locked_until: null,
  last_login_at: null,
  tokens_valid_after: null,
  epochs: {},
} satisfies Partial<User>

export const usersPartition = (tenantId: string): string => key('T', tenantId, 'live', 'USERS')

/** Deleted accounts stay, because evidence refers to them, but in a partition of their own. */
export const formerUsersPartition = (tenantId: string): string => key('T', tenantId, 'live', 'FORMERUSERS')

/** The index partition of the accounts with a name, without regard to case. */
export const nameHolders = (tenantId: string, name: string): string =>
  key('T', tenantId, 'live', 'NAMED', foldedHash(name))

/** Accounts that one person invited and that have not joined yet. */
export const invitedPartition = (tenantId: string, by: string): string => key('T', tenantId, 'live', 'INVITEDBY', by)

/** People belong to the tenant, not to one of its modes. */
export const users = bound({
  name: 'USER',
  schema: User,
  key: (of: { tenant_id: string; id: string }) => ({ pk: key('T', of.tenant_id, 'live', 'USER', of.id), sk: 'USER' }),
  index: ({ tenant_id, status, created_at, id, name, invitation }) => ({
    gsi1pk: status === 'deleted' ? formerUsersPartition(tenant_id) : usersPartition(tenant_id),
    gsi1sk: key(created_at, id),
    ...(status !== 'deleted' && name !== '' && { gsi2pk: nameHolders(tenant_id, name), gsi2sk: id }),
    ...(status === 'invited' &&
      invitation && { gsi3pk: invitedPartition(tenant_id, invitation.by), gsi3sk: key(created_at, id) }),
  }),
  free: ['tokens_valid_after', 'updated_at', 'locked_until', 'last_login_at'],
})

/** Finds the tenant of an account by its id alone. */
export const subs = entity({
  name: 'SUB',
  unbound: 'names what is proven',
  schema: z.object({ id: z.string(), tenant_id: z.string() }),
  key: ({ id }: { id: string }) => ({ pk: key('SUB', id), sk: 'SUB' }),
})

export const EmailReservation = z.object({
  email_hash: z.string(),
  tenant_id: z.string(),
  username: z.string(),
  /** null while the account is being created. */
  user_id: z.string().nullable(),
  state: z.enum(['creating', 'complete']),
  last_sign_in_at: z.string().nullable(),
  created_at: z.string(),
  /** `proven`: the address is verified. `registered`: the account was registered with it. Absent: somebody else gave it. */
  claim: z.enum(['proven', 'registered']).optional(),
})
export type EmailReservation = z.output<typeof EmailReservation>

export const emailPartition = (email_hash: string): string => key('EMAIL', email_hash)

/** One per address and tenant: makes the pair unique, and finds the accounts of an address. */
export const emails = bound({
  name: 'EMAIL',
  schema: EmailReservation,
  key: (of: { email_hash: string; tenant_id: string }) => ({ pk: emailPartition(of.email_hash), sk: of.tenant_id }),
  free: ['last_sign_in_at', 'claim'],
})

/** For the commit that verifies the address of an account: from now on it comes before all that are not verified. */
export const claimProven = ({ email, tenant_id }: Pick<User, 'email' | 'tenant_id'>): Write[] =>
  email === null
    ? []
    : [emails.update({ email_hash: emailHash(email), tenant_id }, { set: { claim: 'proven' }, condition: EXISTS })]

const EXISTS = { expression: 'attribute_exists(pk)' }

/** The same for addresses that differ only in case, in their Unicode form or in the form of their host. */
export const emailHash = (email: string): string => foldedHash(canonicalMailbox(email) ?? email)

/** The address as people write it; null for an account without one. */
export const shownAddress = ({ email }: Pick<User, 'email'>): string | null =>
  email === null ? null : writtenMailbox(email)

function foldedHash(text: string): string {
  return sha256(text.normalize('NFC').toLowerCase()).toString('base64url')
}

/** The artifact of a move goes with an entry of the audit log (`changed`). A deleted account stays, without name and address, because evidence refers to its id. */
export const USER_STATES: States<User['status']> = {
  invited: ['active', 'suspended', 'deleted'],
  active: ['suspended', 'deleted'],
  suspended: ['active', 'invited', 'deleted'],
  deleted: [],
}

/**
 * Thrown by the pool's trigger function for an account that must not get tokens. The pool passes the text on to `pool.ts`.
 */
export const NOT_ACTIVE = 'the account is not active'

/** The claims of session tokens about an account. Throws `NOT_ACTIVE` for one that is not active or has no address. */
export function claimsOf(user: User | undefined): { email: string; tenant_id: string; roles: string[] } {
  if (user?.status !== 'active' || user.email === null) throw new Error(NOT_ACTIVE)
  return { email: user.email, tenant_id: user.tenant_id, roles: allRoles(user) }
}
