// Proofs that an address or an account belongs to its person: by the link of a mail, or by a second person who confirms the
// account.
import { invalidToken, readLink } from '../access/link.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, Failure, forbidden } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { actingAs, changedMeanwhile, findUser, userUpdated } from '../accounts/find.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { claimProven, dueAfter, isProven, type User, users, verifiedAs, type Voucher } from '../accounts/user.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { mailToOwners } from '../access/outrank.ts'
import { raisesNow } from '../access/permissions.ts'
import { mustBeInPerson } from '../access/assurance.ts'
import { among, ANYBODY, type Raise } from '../accounts/raise.ts'

/** `knowsPassword`: checks the password that came with the token, if one did. */
type Shown = { token: string; knowsPassword?: (by: Context, user: User) => Promise<boolean> }

/**
 * Verifies the address that a link was sent to. Returns the address, and whether this call changed something. The link keeps working
 * until it expires, because mail scanners open links before people do.
 *
 * The link proves the mailbox, and not who set the password of the account. So who opens it also shows the password, or sends the
 * session of the account: then both are one person, and nothing ends. Without them the link verifies only an account that nobody
 * has signed in to (409 otherwise): there nothing can be planted yet, but the password, which a later reset ends together with
 * all that was made until then.
 */
export async function verifyEmail(ctx: Context, shown: Shown): Promise<{ email: string; first: boolean }> {
  const user = await userOfLink(ctx, shown.token)
  const voucher = isProven(user) ? undefined : await voucherOf(ctx, user, shown)
  const by = voucher === 'link' && user.email_verified ? undefined : voucher
  const now = ctx.now()
  const { next, change } = proof(user, by, now)
  if (change.changes?.length === 0) return { email: user.email, first: false }
  // Somebody who signs in to an unused account at this very moment has to sign in again.
  const stored = by === 'link' ? { ...next, tokens_valid_after: iso(now) } : next
  await ctx.table.commit([
    users.replace(stored, user, changedMeanwhile()),
    ...(by ? claimProven(user) : []),
    ...changed(actingAs(ctx, user), [change]),
  ])
  return { email: user.email, first: true }
}

/** The account of a link to verify its address. Throws 401 when its address has changed since. */
export async function userOfLink(ctx: Context, token: string): Promise<Stored<User> & { email: string }> {
  const { link, user } = await readLink(ctx.table, token, 'verify_email')
  if (user.email === null || user.email !== link.email || user.status === 'deleted') throw invalidToken()
  return { ...user, email: user.email }
}

async function voucherOf(ctx: Context, user: Stored<User>, { knowsPassword }: Shown): Promise<Voucher> {
  if (ctx.principal.credential === 'session' && ctx.principal.user_id === user.id) return 'person'
  if (knowsPassword) {
    if (await knowsPassword(actingAs(ctx, user), user)) return 'person'
    throw new Failure('unauthenticated', 'This is not the password of the account. Check it and try again.')
  }
  if (user.last_login_at === null) return 'link'
  throw conflict(
    'This account has been used before its address was verified. Send its session token with the link, or open the link in a ' +
      'browser and enter the password. If somebody else made the account, ask for a new password: that ends what they left in it.',
    { code: 'password_needed' },
  )
}

const PROVEN = ['email_verified', 'verified_by', 'proof_due'] as const

/**
 * The change that a proof records, and the account after it. `by`: undefined where the address is proven already, and the link
 * only proves to a directory whose account it is.
 */
export function proof(was: Stored<User>, by: Voucher | undefined, now: number): { next: User; change: Change } {
  const proof_due = dueAfter(was.proof_due, by === 'provider' ? 'provider' : 'address')
  const next: User = { ...was, ...(by && verifiedAs(by)), proof_due, updated_at: iso(now) }
  const fields = PROVEN.filter((field) => next[field] !== was[field])
  return {
    next,
    change: {
      action: 'user.email_verified',
      artifact: 'identity.user.email_verified',
      subject: { type: 'user', id: was.id, name: was.name },
      ...(by && { data: { by } }),
      changes: fields.map((path) => ({ path, before: was[path] ?? null, after: next[path] ?? null })),
      events: [userUpdated(next, was._v + 1, fields, was.source)],
    },
  }
}

type Confirmed = { user: Stored<User>; unchanged: boolean }

/**
 * A second person vouches for an account that somebody has made, given the right to decide, or could have taken over lately.
 * Removes all raises from the account, so that its votes count as those of any other. Throws 403 for a caller who is not in
 * person, who raised the account, or whom the account or one of its raisers has raised: they could confirm their own puppet.
 * Throws 409 for the own account.
 */
export async function confirmUser(ctx: Context, id: string): Promise<Confirmed> {
  mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
  const was = await findUser(ctx, id)
  if (ctx.principal.user_id === id) throw conflict('You cannot confirm your own account. Ask another administrator.')
  const raised = await raisesNow(ctx.table, was)
  if (raised.length === 0) return { user: was, unchanged: true }
  mustBeIndependent(ctx, was, raised)
  const next: User = { ...was, raised: undefined, confirmed_at: iso(ctx.now()), updated_at: iso(ctx.now()) }
  const writes = changed(
    ctx,
    [
      {
        action: 'user.confirmed',
        artifact: 'identity.user.updated',
        subject: { type: 'user', id, name: was.name },
        data: { changed_fields: ['raised'], raised_by: raised.map(({ by }) => by) },
        changes: [{ path: 'raised', before: raised, after: [] }],
        events: [userUpdated(next, was._v + 1, ['raised'], 'api')],
      },
    ],
    { mails: [mailToOwners(ctx, 'who stands behind an account')] },
  )
  await ctx.table.commit([users.replace(next, was, changedMeanwhile()), ...writes], id)
  return { user: { ...next, _v: was._v + 1 }, unchanged: false }
}

function mustBeIndependent({ principal }: Context, { id }: User, raised: readonly Raise[]): void {
  const behind = raised.map(({ by }) => by)
  const { raised_by = [] } = principal
  const depends = among(behind, principal.persons).length > 0 || among(raised_by, [id, ...behind]).length > 0
  if (!depends && !behind.includes(ANYBODY)) return
  throw forbidden(
    'Somebody who is independent must confirm this account: neither who invited, promoted or reset it within 30 days, nor ' +
      'somebody whom one of them invited, promoted or reset in that time.',
    { code: 'not_independent' },
  )
}
