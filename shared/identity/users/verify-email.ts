import { invalidToken, readLink } from '../access/link.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { actingAs } from '../accounts/acting.ts'
import { dueAfter } from '../accounts/proof.ts'
import { changedMeanwhile, userUpdated } from '../accounts/user-updated.ts'
import { users } from '../accounts/user.ts'

/**
 * Returns the address, and whether this call verified it. The link keeps working until it expires, because mail scanners open
 * links before people do.
 */
export async function verifyEmail(ctx: Context, token: string): Promise<{ email: string; first: boolean }> {
  const { link, user } = await readLink(ctx.table, token, 'verify_email')
  if (user.email !== link.email || user.status === 'deleted') throw invalidToken()
  const proof_due = dueAfter(user.proof_due, 'address')
  if (user.email_verified && proof_due === user.proof_due) return { email: user.email, first: false }
  const by = actingAs(ctx, user)
  const next = { ...user, email_verified: true, proof_due, updated_at: iso(ctx.now()) }
  const fields = (['email_verified', 'proof_due'] as const).filter((field) => next[field] !== user[field])
  await ctx.table.commit([
    users.replace(next, user, changedMeanwhile()),
    ...changed(by, [
      {
        action: 'user.email_verified',
        artifact: 'identity.user.email_verified',
        subject: { type: 'user', id: user.id, name: user.name },
        changes: fields.map((path) => ({ path, before: user[path] ?? null, after: next[path] ?? null })),
        events: [userUpdated(next, user._v + 1, fields, user.source)],
      },
    ]),
  ])
  return { email: user.email, first: true }
}
