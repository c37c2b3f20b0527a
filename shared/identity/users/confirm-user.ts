// A second person vouches for an account that somebody has made, given the right to decide, or could have taken over lately.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { mailToOwners } from '../access/outrank.ts'
import { raisesNow } from '../access/permissions.ts'
import { mustBeInPerson } from '../access/assurance.ts'
import { findUser } from '../accounts/find.ts'
import { among, ANYBODY, type Raise } from '../accounts/raise.ts'
import { changedMeanwhile, userUpdated } from '../accounts/user-updated.ts'
import { type User, users } from '../accounts/user.ts'

type Confirmed = { user: Stored<User>; unchanged: boolean }

/**
 * From then on nobody stands behind the account, so that its votes count as those of any other. Throws 403 for a caller who is
 * not in person, who stands behind the account, or behind whom the account or one of its people stands: they could confirm
 * their own puppet. Throws 409 for the own account.
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
