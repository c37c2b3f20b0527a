// Invitations. The account is created with the first invitation, so that it can hold roles and its address is reserved.
import { mustBeAllowedToGiveRoles, givenRoles } from '../access/roles.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { mailToOwners, mustOutrank } from '../access/outrank.ts'
import { mustHaveSteppedUp } from '../access/assurance.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { createAccount, emailTaken } from './create-account.ts'
import { changedMeanwhile, findUserByEmail, userUpdated } from '../accounts/find.ts'
import { personBehind } from '../access/permissions.ts'
import { raisedBy } from '../access/raised.ts'
import { type User, users } from '../accounts/user.ts'

export type Invitation = { email: string; name?: string | undefined; roles: readonly string[] }

/**
 * `repeated`: the address was invited before. The mail is sent again, other roles replace those from before, and the caller
 * becomes responsible for the roles.
 */
export type Invited = { user: Stored<User>; repeated: boolean }

/**
 * Creates an account that waits for its person, and mails them a link. Throws 403 unless the caller holds what the roles give, in
 * person where that is privileged: a reader of the mail can decide with it. Throws 409 for a person who has joined. Inviter and
 * raise come from the caller's credential. A second invitation of the same address sends the mail again.
 */
export async function invite(ctx: Context, { email, name = '', roles }: Invitation): Promise<Invited> {
  const known = await findUserByEmail(ctx, email)
  if (known && known.status !== 'invited') throw emailTaken()
  if (known) return inviteAgain(ctx, known, [...new Set(roles)])
  const isPrivileged = await mustBeAllowedToGiveRoles(ctx, roles)
  await mustHaveSteppedUp(ctx)
  const facts = await invitationFacts(ctx)
  const user = await createAccount(ctx, {
    email,
    name,
    roles: [...new Set(roles)],
    source: 'invite',
    status: 'invited',
    invitation: { by: personBehind(ctx.principal) },
    raised: await raisedBy(ctx),
    also: ({ id, tenant_id }) => ({
      writes: givenRoles(tenant_id, roles),
      mails: [newMail(ctx, 'invitation', { user_id: id }, facts), ...noticeOf(ctx, isPrivileged)],
    }),
  })
  return { user, repeated: false }
}

async function inviteAgain(ctx: Context, was: Stored<User>, roles: string[]): Promise<Invited> {
  const { id, name, source } = was
  const differ = new Set(roles).symmetricDifference(new Set(was.roles)).size > 0
  if (differ) await mustOutrank(ctx, was) // somebody who sets the roles of an account that is not open yet could take it over
  const isPrivileged = await mustBeAllowedToGiveRoles(ctx, roles, { and: was.grants })
  if (differ) await mustHaveSteppedUp(ctx)
  const next: User = {
    ...was,
    roles,
    invitation: { by: personBehind(ctx.principal) },
    raised: await raisedBy(ctx, was),
    updated_at: iso(ctx.now()),
  }
  const again = changed(
    ctx,
    [
      {
        action: 'user.invited',
        artifact: 'identity.user.invited',
        subject: { type: 'user', id, name },
        data: { roles, source, repeated: true },
        ...(differ && {
          changes: [{ path: 'roles', before: was.roles, after: roles }],
          events: [userUpdated(next, was._v + 1, ['roles'], 'api')],
        }),
      },
    ],
    {
      mails: [newMail(ctx, 'invitation', { user_id: id }, await invitationFacts(ctx)), ...noticeOf(ctx, isPrivileged)],
    },
  )
  const given = givenRoles(
    was.tenant_id,
    roles.filter((role) => !was.roles.includes(role)),
  )
  await ctx.table.commit([users.replace(next, was, changedMeanwhile()), ...given, ...again], id)
  return { user: { ...next, _v: was._v + 1 }, repeated: true }
}

const noticeOf = (ctx: Context, isPrivileged: boolean) =>
  isPrivileged ? [mailToOwners(ctx, 'who may decide or administer, by an invitation')] : []

/** Names of the tenant and of the inviter, for the mail. */
export async function invitationFacts({ table, space, principal }: Context): Promise<Record<string, string>> {
  const { tenant_id } = space
  const [tenant, inviter] = await Promise.all([
    tenantOf(table, tenant_id),
    principal.user_id ? table.get(users, { tenant_id, id: principal.user_id }) : undefined,
  ])
  return { tenant: tenant.name, ...(inviter?.name && { inviter: inviter.name }) }
}
