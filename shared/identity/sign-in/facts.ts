// Who can sign in, how, and with what rights.
import type { FactAsk, UserFact } from '../../base/ports/facts.ts'
import type { Permission } from '../../base/catalog/permissions.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { freshCustomRoles, permissionsOfUser } from '../access/permissions.ts'
import { type User, users as people, usersPartition } from '../accounts/user.ts'
import { factorsOf } from '../mfa/factor.ts'
import { domainOf } from '../sso/refusal.ts'
import { enforcedDomains } from './enforced-sso.ts'

const ADMINISTRATIVE: readonly Permission[] = ['users:write', 'roles:write', 'policies:write', 'tenant:security']

const MOST = 50_000
const AT_ONCE = 16

export async function users({ ctx: { table, space } }: FactAsk): Promise<UserFact[]> {
  const { tenant_id } = space
  const [all, roles, domains] = await Promise.all([
    wholeRange(table, people, { pk: usersPartition(tenant_id), index: 'gsi1' }, MOST),
    freshCustomRoles(table, tenant_id),
    enforcedDomains(table, tenant_id),
  ])
  const isPrivileged = (user: User) => {
    const held = permissionsOfUser(user, roles)
    return ADMINISTRATIVE.some((permission) => held.has(permission))
  }
  const here = all.filter(({ status }) => status !== 'deleted') // the index may lag behind
  return inParallel(AT_ONCE, here, async (user) => {
    const { id, status, email, created_at, last_login_at } = user
    const owner = user.roles.includes('owner')
    const privileged = isPrivileged(user)
    // Of administrators the factors themselves count, of others what the account says of them.
    const has_factor = privileged ? (await factorsOf(table, user)).length > 0 : user.mfa_enrolled
    const sso_only = !owner && email !== null && domains.includes(domainOf(email))
    return { id, status, owner, privileged, has_factor, sso_only, created_at, last_login_at }
  })
}
