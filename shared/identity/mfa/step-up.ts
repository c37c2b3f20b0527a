// A signed-in person shows a second factor again, so that their session may make sensitive changes for a while.
import { mustBeAllowed } from '../access/allowlist.ts'
import { invalidToken } from '../access/link.ts'
import { mustHaveOpenFactors } from '../security-events/wrong-codes.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { own } from '../users/own.ts'
import { factorsOf } from './factor.ts'
import { showFactor, type Showing } from './show-factor.ts'
import { shownIn } from './shown-in.ts'
import { wrong } from './verify-sign-in.ts'

/** Throws 401 for a wrong factor. The session continues in any case. */
export async function stepUp(ctx: Context, showing: Showing): Promise<{ mfa_at: string }> {
  if (ctx.principal.credential === 'system') throw invalidToken()
  if (ctx.principal.credential !== 'session')
    throw forbidden('Only a person who is signed in can do this. Sign in and repeat the request.')
  const [user, tenant] = await Promise.all([own(ctx), tenantOf(ctx.table, ctx.space.tenant_id)])
  mustBeAllowed(tenant, ctx.request.ip)
  await mustHaveOpenFactors(ctx, user.id)
  const shown = await showFactor(ctx, user, await factorsOf(ctx.table, user), showing)
  if (!shown) throw await wrong(ctx, user)
  const mfa_at = ctx.now()
  await ctx.table.commit([
    ...shown.writes,
    ...shownIn(ctx, shown.amr, mfa_at),
    ...changed(
      ctx,
      [
        {
          action: 'mfa.verified',
          artifact: 'identity.mfa.verified',
          subject: { type: 'user', id: user.id, name: user.name },
          data: { method: shown.method },
        },
        ...shown.changes,
      ],
      { mails: shown.mails },
    ),
  ])
  return { mfa_at: iso(mfa_at) }
}
