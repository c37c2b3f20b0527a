// The people the server speaks of. An account that is not active, belongs to another tenant than the client, or was signed
// out everywhere since, does not exist here: that ends sign-ins, refreshes and open authorisations alike.
import type { Account, Payload } from 'oidc-provider'
import { letsIn } from '../access/allowlist.ts'
import { allRoles } from '../users/all-roles.ts'
import { type User, users } from '../users/user.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Table } from '../../base/table/table.ts'
import type { Stored } from '../../base/table/entity.ts'

/** An account with what its tokens need to know of its tenant. */
export type KnownAccount = Account & { user: Stored<User>; refreshSeconds: number }

type Whose = {
  tenant_id: string
  id: string
  /** Unix second of the sign-in or token that names the account. */ since?: number | undefined
}

/** The person if whatever names it, from `since` on, still counts. */
export async function activeUser(table: Table, { since, ...of }: Whose): Promise<Stored<User> | undefined> {
  const user = await table.get(users, of)
  return user && isAlive(user, since) ? user : undefined
}

/** Whether what names the account, from the Unix second `since` on, still counts. */
export const isAlive = (user: User, since?: number): boolean =>
  user.status === 'active' && (since === undefined || !isEnded(user, since))

/** Tokens tell whole seconds only: of the second in which everything was ended, everything has ended. */
export const isEnded = ({ tokens_valid_after }: Pick<User, 'tokens_valid_after'>, since: number): boolean =>
  tokens_valid_after !== null && since * 1_000 <= Date.parse(tokens_valid_after)

/** `ip`: where the person is, if that is where the request comes from. */
export async function knownAccount(
  table: Table,
  { ip, ...of }: Whose & { ip?: string | undefined },
): Promise<KnownAccount | undefined> {
  const [user, tenant] = await Promise.all([activeUser(table, of), tenantOf(table, of.tenant_id)])
  if (!user || tenant.status !== 'active') return undefined
  if (ip !== undefined && !letsIn(tenant, ip)) return undefined
  return {
    accountId: user.id,
    user,
    refreshSeconds: tenant.session_policy.refresh_ttl_s,
    claims: async (_, scope) => claimsOf(user, scope),
  }
}

/** What userinfo and ID tokens say of a person. */
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
