// A person signs out of their session, and of the SAML provider that began it.
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { revokePoolToken } from '../accounts/pool.ts'
import { ownSession, revokeSession } from '../sessions/end-sessions.ts'
import { openPoolToken } from '../sessions/pool-token.ts'
import { poolTokens, type Session } from '../sessions/session.ts'

/** Ends the session. Revoking the pool's token is only a clean-up, because the token never left the service. */
export async function logout(ctx: Context): Promise<{ status: 'signed_out'; slo_url?: string }> {
  const session = await ownSession(ctx)
  const poolToken = await ctx.table.get(poolTokens, session)
  await revokeSession(ctx, session, 'signed_out')
  if (poolToken) {
    await openPoolToken(poolToken)
      .then(revokePoolToken)
      .catch((error: unknown) => warn('pool_token_not_revoked', error))
  }
  const slo_url = await sloUrlOf(ctx, session)
  return { status: 'signed_out', ...(slo_url !== undefined && { slo_url }) }
}

/** Where the browser signs out of the SAML provider that began the session. Without it, the sign-out still succeeds. */
async function sloUrlOf(ctx: Context, session: Session): Promise<string | undefined> {
  if (session.slo_key === undefined) return undefined
  const { sloUrlFor } = await import('../sso/saml/slo-url.ts')
  try {
    return await sloUrlFor(ctx, session)
  } catch (error) {
    warn('identity_provider_not_told', error)
    return undefined
  }
}
