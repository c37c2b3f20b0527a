// A tenant always has an active owner. A commit that removes one also checks that another one stays: of two concurrent
// requests that remove the last two owners, only one commits.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { type User, users, usersPartition } from '../accounts/user.ts'

const PAGE = 100

type Whose = Pick<User, 'tenant_id' | 'id'>

const isActiveOwner = ({ status, roles }: User) => status === 'active' && roles.includes('owner')

export const lastOwner = () =>
  conflict('You cannot remove the last active owner of the tenant. Make somebody else an owner first.')

/**
 * The checks to add to a commit that ends, suspends or demotes this account. Throws 409 when no other owner would be left.
 */
export async function mustLeaveOwner(ctx: Context, leaving: User): Promise<Write[]> {
  if (!isActiveOwner(leaving)) return []
  const other = actingOwner(ctx, leaving) ?? (await anotherOwner(ctx, leaving))
  if (!other) throw lastOwner()
  const isOwner = {
    expression: '#status = :active AND contains(#roles, :owner)',
    names: { '#status': 'status', '#roles': 'roles' },
    values: { ':active': 'active', ':owner': 'owner' },
  }
  return [users.check(other, isOwner, lastOwner())]
}

/** The caller, if they are another owner: that is the usual case and needs no search. */
function actingOwner({ principal, space }: Context, leaving: User): Whose | undefined {
  const { user_id, roles } = principal
  const other = user_id !== undefined && user_id !== leaving.id && roles.includes('owner')
  return other ? { tenant_id: space.tenant_id, id: user_id } : undefined
}

/** Searches the oldest accounts first, because the founder is usually an owner. */
async function anotherOwner({ table }: Context, leaving: User): Promise<Whose | undefined> {
  const pk = usersPartition(leaving.tenant_id)
  for (let after: string | undefined; ;) {
    const page = await table.keys({ pk, index: 'gsi1', after, limit: PAGE })
    const found = await table.read(users, page)
    const owner = found.find((user) => user.id !== leaving.id && isActiveOwner(user))
    if (owner || page.length < PAGE) return owner
    after = page.at(-1)?.sort
  }
}
