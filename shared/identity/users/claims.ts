import type { User } from './user.ts'

/** What the pool's function throws for an account that may not have tokens; the pool hands the text on to `pool.ts`. */
export const NOT_ACTIVE = 'the account is not active'

/** What session tokens say of an account. Throws `NOT_ACTIVE` for one that is not active or has no address. */
export function claimsOf(user: User | undefined): { email: string; tenant_id: string; roles: string[] } {
  if (user?.status !== 'active' || user.email === null) throw new Error(NOT_ACTIVE)
  const roles = [...new Set([...user.roles, ...user.group_roles])]
  return { email: user.email, tenant_id: user.tenant_id, roles }
}
