import { type Context, createContext, type Principal, SYSTEM } from '../../base/context.ts'
import { allRoles } from './all-roles.ts'
import type { User } from './user.ts'

/** The context of the request inside a tenant, before its person is identified. */
export const inTenant = (ctx: Context, tenant_id: string): Context =>
  createContext({ ...ctx, space: { tenant_id, mode: 'live' }, principal: SYSTEM })

/**
 * The context of the request as made by a person whom a password, a link or an identity provider has just identified. It is
 * in that person's tenant and holds no permission.
 */
export const actingAs = (ctx: Context, user: User): Context => {
  const { id, tenant_id, email, email_verified } = user
  const principal: Principal = {
    ...SYSTEM,
    kind: 'user',
    id,
    credential: 'session',
    user_id: id,
    persons: [id],
    roles: allRoles(user),
    ...(email !== null && { email }),
    email_verified,
  }
  return createContext({ ...ctx, space: { tenant_id, mode: 'live' }, principal })
}
