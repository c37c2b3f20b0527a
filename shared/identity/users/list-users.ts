import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { pageOf } from '../../base/wire/page-of.ts'
import { ListQuery, paginate } from '../../base/wire/pagination.ts'
import { rolesGiven } from '../accounts/all-roles.ts'
import { findUserByEmail } from '../accounts/find.ts'
import {
  formerUsersPartition,
  type User,
  USER_SOURCES,
  USER_STATUSES,
  users,
  usersPartition,
} from '../accounts/user.ts'

export const UserQuery = ListQuery.extend({
  email: z.string().max(320).optional().describe('The whole address.'),
  /** Given to the person or through a group. */
  role: z.string().max(40).optional().describe('Only people who hold this role, also through a group.'),
  status: z.enum(USER_STATUSES).optional().describe('Only those in this state.'),
  source: z.enum(USER_SOURCES).optional().describe('Only people who were added this way.'),
  /** Part of a name or an address. */
  q: z.string().min(1).max(100).optional().describe('Only items that contain this text; case is ignored.'),
})
export type UserQuery = z.output<typeof UserQuery>

const OPERATION = 'users-list'

/** Newest first. Deleted accounts are listed only with `status=deleted`. */
export async function listUsers(ctx: Context, query: UserQuery) {
  const { tenant_id } = ctx.space
  const matches = matching(query)
  if (query.email !== undefined) {
    const owner = await findUserByEmail(ctx, query.email)
    return pageOf(ctx, OPERATION, query, owner && matches?.(owner) !== false ? [owner] : [], ({ id }) => id)
  }
  const partition = query.status === 'deleted' ? formerUsersPartition(tenant_id) : usersPartition(tenant_id)
  return paginate(ctx, OPERATION, query, {
    of: users,
    index: 'gsi1',
    groups: [{ name: 'users', partitions: [partition] }],
    filter: matches,
  })
}

/** Undefined without a filter besides the address. */
function matching({ role, status, source, q }: UserQuery): ((user: User) => boolean) | undefined {
  if ([role, status, source, q].every((one) => one === undefined)) return undefined
  const part = q?.toLowerCase()
  return (user) =>
    (role === undefined || rolesGiven(user).includes(role)) &&
    (status ?? user.status) === user.status &&
    (source ?? user.source) === user.source &&
    (part === undefined || `${user.name}\n${user.email ?? ''}`.toLowerCase().includes(part))
}
