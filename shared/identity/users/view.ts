// An account as the API shows it, and the list of accounts.
import * as z from 'zod'
import type { Stored } from '../../base/table/entity.ts'
import {
  formerUsersPartition,
  ProofDue,
  rolesGiven,
  type User,
  USER_SOURCES,
  USER_STATUSES,
  users,
  usersPartition,
  shownAddress,
} from '../accounts/user.ts'
import { Raise } from '../accounts/raise.ts'
import type { Context } from '../../base/context.ts'
import { pageOf } from '../../base/wire/page-of.ts'
import { ListQuery, paginate } from '../../base/wire/pagination.ts'
import { findUserByEmail } from '../accounts/find.ts'

export const UserView = z.object({
  id: z.string().describe('The id, which never changes.'),
  email: z.string().nullable().describe('The e-mail address.'),
  email_verified: z.boolean().describe('Whether the owner confirmed the address.'),
  name: z.string().describe('A name for people.'),
  roles: z.array(z.string()).describe('Roles, by name.'),
  group_roles: z.array(z.string()).describe('The roles that groups of the directory give.'),
  sso_roles: z
    .array(z.string())
    .describe('The roles that groups of the identity provider gave at the last sign-in through it.'),
  grants: z.array(z.string()).describe('Permissions of the person in addition to their roles.'),
  denies: z.array(z.string()).describe('Permissions that the person does not have, whatever their roles.'),
  status: z.enum(USER_STATUSES).describe('The current state.'),
  source: z.enum(USER_SOURCES).describe('How the account was created.'),
  mfa_enrolled: z.boolean().describe('Whether a second factor is enrolled.'),
  proof_due: ProofDue.nullable().describe(
    'What the person has yet to prove, since a directory made the account or changed how it is opened: `address` (any mailed link), `password` (a link that sets one), `provider` (a sign-in through the identity provider). Until then they may do what a member may. null: nothing.',
  ),
  locked_until: z.string().nullable().describe('When people can sign in to the account again.'),
  last_login_at: z.string().nullable().describe('When the person last signed in.'),
  raised: z
    .array(Raise)
    .describe(
      'Who stands behind the account: who invited it, gave it the right to decide on approvals, or changed how it is opened. Each counts for 30 days.',
    ),
  confirmed_at: z
    .string()
    .nullable()
    .describe(
      'When somebody independent, or the identity provider of a verified domain, last vouched for the account.',
    ),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

/** An account as the API shows it. */
export function userView(user: Stored<User>): z.input<typeof UserView> {
  const { _v: version, raised = [], confirmed_at = null, proof_due = null, ...rest } = user
  return { ...rest, email: shownAddress(user), raised, confirmed_at, proof_due, version }
}

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
    (part === undefined ||
      `${user.name}\n${user.email ?? ''}\n${shownAddress(user) ?? ''}`.toLowerCase().includes(part))
}
