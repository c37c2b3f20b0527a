// People of a tenant and their requests, for verbs that are called without HTTP.
import { permissionsOfRoles } from '../../shared/base/catalog/permissions.ts'
import { type Context, createContext, type Principal, type Space, systemContext } from '../../shared/base/context.ts'
import { emailHash, emails, NEW_USER, type User, users } from '../../shared/identity/accounts/user.ts'

const idOf = (roles: readonly string[]) => `usr_${roles.join('_') || 'nobody'}`

/** The request of a person with these roles; `over` replaces members of the principal. */
export function personIn(space: Space, roles: readonly string[] = ['owner'], over: Partial<Principal> = {}): Context {
  const id = over.id ?? idOf(roles)
  const principal: Principal = {
    kind: 'user',
    credential: 'session',
    id,
    user_id: id,
    persons: [id],
    roles,
    permissions: permissionsOfRoles(roles),
    email: `${id}@example.com`,
    email_verified: true,
    ...over,
  }
  const { request } = systemContext(space)
  return createContext({ space, principal, request: { ...request, ip: '203.0.113.9', user_agent: 'test' } })
}

/** Stores an account with these roles, without the pool; its id follows from them unless it is given. */
export async function accountIn(space: Space, roles: readonly string[] = ['owner'], over: Partial<User> = {}) {
  const { table } = systemContext(space)
  const { tenant_id } = space
  const id = over.id ?? idOf(roles)
  const user: User = {
    ...NEW_USER,
    id,
    tenant_id,
    username: `name-of-${id}`,
    email: `${id}@example.com`,
    email_verified: true,
    name: id,
    roles: [...roles],
    status: 'active',
    source: 'register',
    created_at: '2026-11-20T22:00:00.000Z',
    updated_at: '2026-11-20T22:00:00.000Z',
    ...over,
  }
  const { username, email, created_at } = user
  const reservation = {
    tenant_id,
    username,
    user_id: id,
    state: 'complete' as const,
    last_sign_in_at: null,
    created_at,
  }
  await table.commit([
    users.insert(user),
    ...(email === null ? [] : [emails.insert({ ...reservation, email_hash: emailHash(email) })]),
  ])
  return { ...user, _v: 1 }
}
