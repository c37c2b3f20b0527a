// Setting a password through a link: after a reset, and when an invitation is accepted.
import { invalidToken, type OpenLink, readLink, useLink } from '../access/link.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { logoutsOf } from '../artefacts/logouts.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { actingAs, changedMeanwhile, userUpdated } from '../accounts/find.ts'
import { joined } from './create-account.ts'
import { mustNotBeLeaked } from './leaked-password.ts'
import { goodPassword } from '../accounts/password.ts'
import { claimProven, dueAfter, emailHash, type User, users, verifiedAs } from '../accounts/user.ts'
import { setPoolPassword, signOutPoolUser } from '../accounts/pool.ts'
import { beginAnew } from './first-proof.ts'
import { invalid } from '../../base/lib/failure.ts'

type Setting = { token: string; password: string; name?: string | undefined }

/**
 * Sets the password and uses up the link, which proves the address. All sessions end; second factors stay, unless this is the first
 * proof of the address: then all that was made with the account before ends. Throws 401 for an invalid link before the password is
 * checked. The pool has the new password before the commit: after a crash the link still works, and using it again finishes this.
 * Of two concurrent uses one commits.
 */
export async function setPassword(ctx: Context, { token, password, name }: Setting): Promise<Stored<User>> {
  const open = await readLink(ctx.table, token, 'password_reset', 'invitation')
  const { user, link } = open
  if (user.status !== (link.purpose === 'invitation' ? 'invited' : 'active')) throw invalidToken()
  const tenant = await tenantOf(ctx.table, user.tenant_id)
  const good = goodPasswordOf(user, tenant, password)
  await mustNotBeLeaked(good)
  await setPoolPassword(user.username, good)
  const by = actingAs(ctx, user)
  const next = await store(by, { link, user: await beginAnew(by, user) }, name)
  await signOutPoolUser(user.username)
  await endSessions(by, user, 'password_changed')
  return next
}

export const goodPasswordOf = ({ email }: User, { session_policy }: Tenant, password: string, field = 'password') =>
  goodPassword(password, { email, min_length: session_policy.password_min_length, field })

/** Also marks the address as verified, because the link was sent to it. */
async function store(ctx: Context, open: OpenLink, name: string | undefined): Promise<Stored<User>> {
  const { user, link } = open
  const now = ctx.now()
  const used = useLink(open, now)
  const next: User = {
    ...user,
    ...(name !== undefined && { name }),
    epochs: used.epochs,
    ...verifiedAs('person'),
    proof_due: dueAfter(user.proof_due, 'password'),
    status: 'active',
    invitation: undefined,
    tokens_valid_after: iso(now),
    updated_at: iso(now),
  }
  const [change, mails] = link.purpose === 'invitation' ? [joined(next), []] : [reset(next, user), [notice(ctx, user)]]
  const logouts = await logoutsOf(ctx, user.id)
  await ctx.table.commit([
    used.write,
    users.replace(next, user, changedMeanwhile()),
    ...claimProven(next),
    ...changed(ctx, [change], { mails, logouts }),
  ])
  return { ...next, _v: user._v + 1 }
}

const notice = (ctx: Context, { id }: User) => newMail(ctx, 'password_changed', { user_id: id })

function reset(next: User, was: Stored<User>): Change {
  const also = (['email_verified', 'proof_due'] as const).filter((field) => next[field] !== was[field])
  const fields = ['password', ...also]
  return {
    action: 'user.password_reset',
    artifact: 'identity.user.password_changed',
    subject: { type: 'user', id: next.id, name: next.name },
    data: { how: 'reset' },
    changes: fields.map((path) => ({ path, before: '***', after: '***' })),
    events: [userUpdated(next, was._v + 1, fields, next.source)],
  }
}

type Joining = { token: string; email: string; password: string; name?: string | undefined }

/** Accepts an invitation: the invited account becomes active, and its address counts as verified. */
export async function join(ctx: Context, { email, ...input }: Joining): Promise<Stored<User>> {
  const { link } = await readLink(ctx.table, input.token, 'invitation')
  if (emailHash(link.email) !== emailHash(email))
    throw invalid(['email'], 'This is not the address that was invited. Enter the address that got the invitation.')
  return setPassword(ctx, input)
}
