import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { revokePoolToken } from '../users/pool.ts'
import { revokeSession } from './end-sessions.ts'
import { openPoolToken } from './pool-token.ts'
import { ownSession } from './own-session.ts'
import { poolTokens, type Session } from './session.ts'

/** The session is over with its item; revoking the pool's token, which nobody else holds, is tidiness. */
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

/** Of sessions that a SAML provider began. That it cannot be told is no reason to stay. */
async function sloUrlOf(ctx: Context, session: Session): Promise<string | undefined> {
  if (session.slo_key === undefined) return undefined
  const { sloUrlFor } = await import('../sso/slo-url.ts')
  try {
    return await sloUrlFor(ctx, session)
  } catch (error) {
    warn('identity_provider_not_told', error)
    return undefined
  }
}
