// A signed-in person shows a second factor again, so that their session may make sensitive changes for a while.
import { mustBeAllowed } from '../access/allowlist.ts'
import { invalidToken } from '../access/link.ts'
import { mustBeSignedIn } from '../access/assurance.ts'
import { mustHaveOpenFactors } from '../security-events/wrong-codes.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { ownUser } from '../accounts/own-user.ts'
import { factorsOf } from './factor.ts'
import { showFactor, type FactorInput } from './show-factor.ts'
import { factorUseWrites } from './factor-use-writes.ts'
import { wrongFactor } from './verify-sign-in.ts'

/** Throws 401 for a wrong factor. The session continues in any case. */
export async function stepUp(ctx: Context, input: FactorInput): Promise<{ mfa_at: string }> {
  if (ctx.principal.credential === 'system') throw invalidToken()
  mustBeSignedIn(ctx)
  const [user, tenant] = await Promise.all([ownUser(ctx), tenantOf(ctx.table, ctx.space.tenant_id)])
  mustBeAllowed(tenant, ctx.request.ip)
  await mustHaveOpenFactors(ctx, user.id)
  const proof = await showFactor(ctx, user, await factorsOf(ctx.table, user), input)
  if (!proof) throw await wrongFactor(ctx, user)
  const mfa_at = ctx.now()
  await ctx.table.commit([
    ...proof.writes,
    ...(await factorUseWrites(ctx, proof.amr, mfa_at)),
    ...changed(
      ctx,
      [
        {
          action: 'mfa.verified',
          artifact: 'identity.mfa.verified',
          subject: { type: 'user', id: user.id, name: user.name },
          data: { method: proof.method },
        },
        ...proof.changes,
      ],
      { mails: proof.mails },
    ),
  ])
  return { mfa_at: iso(mfa_at) }
}
