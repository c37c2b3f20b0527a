import { allRoles } from './all-roles.ts'
import type { User } from './user.ts'

/**
 * Thrown by the pool's trigger function for an account that must not get tokens. The pool passes the text on to `pool.ts`.
 */
export const NOT_ACTIVE = 'the account is not active'

/** The claims of session tokens about an account. Throws `NOT_ACTIVE` for one that is not active or has no address. */
export function claimsOf(user: User | undefined): { email: string; tenant_id: string; roles: string[] } {
  if (user?.status !== 'active' || user.email === null) throw new Error(NOT_ACTIVE)
  return { email: user.email, tenant_id: user.tenant_id, roles: allRoles(user) }
}
