// Exchanges the one-time code of a sign-in for tokens.
import { unchanged, type HttpResponse } from '../../base/wire/call.ts'
import type { Context } from '../../base/context.ts'
import { afterFirstFactor } from '../mfa/pending.ts'
import type { SignInView } from '../sessions/sign-in-view.ts'
import { createTicket } from '../sessions/ticket.ts'
import { inTenant } from '../accounts/find.ts'
import { mintForTicket } from '../accounts/pool.ts'
import { provenByProvider } from '../users/first-proof.ts'
import { takeCode } from './one-time-code.ts'

/**
 * Answers like a sign-in with a password, and proves the address of the person. Throws 401 for a code that is not valid. The code is
 * used up first: after a failure the person signs in again.
 */
export async function redeem(
  ctx: Context,
  presented: { code: string; code_verifier?: string | undefined },
): Promise<SignInView | HttpResponse> {
  const { tenant_id, user: found, amr, trusted_mfa, session_cap, slo_key, began_at } = await takeCode(ctx, presented)
  const within = inTenant(ctx, tenant_id)
  const user = await provenByProvider(within, found, began_at)
  const tokens = await mintForTicket(user.username, await createTicket(within, user.id))
  const result = await afterFirstFactor(within, user, tokens, { method: 'sso', amr, trusted_mfa, session_cap, slo_key })
  // Before the second factor there is no session, so there is nothing to record.
  return 'mfa_required' in result ? unchanged(result) : result
}
