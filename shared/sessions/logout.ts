import type { Context } from '../context.ts'
import { warn } from '../lib/log.ts'
import { revokePoolToken } from '../users/pool.ts'
import { revokeSession } from './end-sessions.ts'
import { openPoolToken } from './pool-token.ts'
import { ownSession } from './own-session.ts'
import { poolTokens } from './session.ts'

/** The session is over with its item; revoking the pool's token, which nobody else holds, is tidiness. */
export async function logout(ctx: Context): Promise<{ status: 'signed_out' }> {
  const session = await ownSession(ctx)
  const poolToken = await ctx.table.get(poolTokens, session)
  await revokeSession(ctx, session, 'signed_out')
  if (poolToken) {
    await openPoolToken(poolToken)
      .then(revokePoolToken)
      .catch((error: unknown) => warn('pool_token_not_revoked', error))
  }
  return { status: 'signed_out' }
}
