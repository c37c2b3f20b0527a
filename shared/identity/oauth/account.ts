// The accounts of people, as the OAuth server sees them. An account is not found when it is not active, belongs to another
// tenant than the client, was signed out everywhere since, or when its sign-in has ended. That ends its sign-ins, refreshes and
// open authorisations.
import type { Account, Payload, SignIn } from 'oidc-provider'
import { allowsAddress } from '../access/allowlist.ts'
import { allRoles, type User, users } from '../accounts/user.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Table } from '../../base/table/table.ts'
import type { Stored } from '../../base/table/entity.ts'
import { ACCESS_SECONDS } from '../../base/limits/published.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { hasEndedSince } from '../sessions/slo-handle.ts'

/** An account with its user and the lifetimes of its tokens. */
export type KnownAccount = Account & { user: Stored<User>; accessSeconds: number; refreshSeconds: number }

type Whose = {
  tenant_id: string
  id: string
  /** Unix second of the sign-in or token that names the account. */
  since?: number | undefined
}

/** The person; undefined when they are not active or were signed out everywhere after `since`. */
export async function activeUser(table: Table, { since, ...of }: Whose): Promise<Stored<User> | undefined> {
  const user = await table.get(users, of)
  return user && isAlive(user, since) ? user : undefined
}

/** Whether the account is active and was not signed out everywhere after the Unix second `since`. */
export const isAlive = (user: User, since?: number): boolean =>
  user.status === 'active' && (since === undefined || !isEnded(user, since))

/** Tokens carry whole seconds, so a token of the same second as the sign-out has ended, too. */
export const isEnded = ({ tokens_valid_after }: Pick<User, 'tokens_valid_after'>, since: number): boolean =>
  tokens_valid_after !== null && since * 1_000 <= Date.parse(tokens_valid_after)

type Asked = Whose & {
  /** The person's address, checked against the allowlist. Left out when the request comes from the client instead. */
  ip?: string | undefined
  /** The sign-in that the account is named by, or that the grant rests on. */
  sign_in?: SignIn | undefined
  /** Whether the browser that signed in asks. */
  isBrowser: boolean
}

/** The account as the head of this file defines it; undefined when it is not found. */
export async function knownAccount(
  table: Table,
  { ip, sign_in, isBrowser, ...of }: Asked,
): Promise<KnownAccount | undefined> {
  const [user, tenant] = await Promise.all([activeUser(table, of), tenantOf(table, of.tenant_id)])
  if (!user || tenant.status !== 'active') return undefined
  if (ip !== undefined && !allowsAddress(tenant, ip)) return undefined
  const until = sign_in ? await actsUntil(table, { user, tenant, sign_in, isBrowser }) : Number.POSITIVE_INFINITY
  if (until === undefined) return undefined
  const left = until - Math.floor(table.clock.now() / 1_000)
  return {
    accountId: user.id,
    user,
    accessSeconds: Math.min(ACCESS_SECONDS, left),
    refreshSeconds: Math.min(tenant.session_policy.refresh_ttl_s, left),
    claims: async (_, scope) => claimsOf(user, scope),
  }
}

/** The claims about a person in userinfo and ID tokens. */
export function claimsOf(user: User, scope: string): Payload {
  const scopes = scope.split(' ')
  return {
    sub: user.id,
    tenant_id: user.tenant_id,
    roles: allRoles(user),
    ...(scopes.includes('profile') && { name: user.name }),
    ...(scopes.includes('email') && { email: user.email, email_verified: user.email_verified }),
  }
}

/** The claims of each scope, as the discovery document lists them. */
export const CLAIMS = {
  openid: ['sub', 'tenant_id', 'roles', 'amr', 'auth_time'],
  profile: ['name'],
  email: ['email', 'email_verified'],
}

type Resting = { user: User; tenant: Tenant; sign_in: SignIn; isBrowser: boolean }

/**
 * The Unix second until which somebody acts by a sign-in, as far as it is known; undefined when it has ended. A browser stays
 * signed in as long as the tenant lets a session last. So does what was granted there, if the person has roles that an identity
 * provider gave: a person who left a group there has to sign in to keep acting, and loses the roles then.
 */
async function actsUntil(table: Table, { user, tenant, sign_in, isBrowser }: Resting): Promise<number | undefined> {
  const { at, slo_key, ends_at = Number.POSITIVE_INFINITY } = sign_in
  const isBounded = isBrowser || user.sso_roles.length > 0
  const until = isBounded ? Math.min(ends_at, at + tenant.session_policy.lifetime_s) : ends_at
  if (until * 1_000 <= table.clock.now()) return undefined
  const over = slo_key !== undefined && (await hasEndedSince(table, { tenant_id: user.tenant_id, slo_key, since: at }))
  return over ? undefined : until
}
