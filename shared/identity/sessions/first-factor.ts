// What follows the first factor, whichever it was: the tenant must be open to the caller, a second factor may be due, and
// only then does a session begin.
import { noteSuccess, rememberSignIn } from '../security-events/note-success.ts'
import type { Context } from '../../base/context.ts'
import { pendingFor } from '../mfa/pending.ts'
import { asksForFactor, countsFromProvider, needsEnrolment } from '../mfa/policy.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { PoolTokens } from '../users/pool.ts'
import type { User } from '../users/user.ts'
import { mustBeAllowedIn } from './let-in.ts'
import { openSession } from './open-session.ts'
import type { SignInView } from './reply.ts'

export type FirstFactor = {
  method: 'password' | 'sso'
  /** RFC 8176. */
  amr: readonly string[]
  /** The identity provider has asked for a second factor. */
  trusted_mfa: boolean
  /** The identity provider ends the session then (ISO 8601). */
  session_cap?: string | undefined
  slo_key?: string | undefined
}

/** Throws 403 for a tenant that is closed or does not let the address in, 429 for a sign-in that cannot be the person's. */
export async function afterFirstFactor(
  ctx: Context,
  user: Stored<User>,
  tokens: PoolTokens,
  { trusted_mfa, ...factor }: FirstFactor,
): Promise<SignInView> {
  const tenant = await tenantOf(ctx.table, user.tenant_id)
  await mustBeAllowedIn(ctx, user, tenant)
  const { ip, user_agent } = ctx.request
  const { score: anomaly_score, country, demand_second_factor } = await noteSuccess(ctx, { user, ip, user_agent })
  const begun = { ...factor, anomaly_score, country }
  const trusted = trusted_mfa && countsFromProvider(tenant, user)
  if (asksForFactor(tenant, user, { trusted, demanded: demand_second_factor })) {
    return pendingFor(ctx, user, tokens, begun)
  }
  const reply = await openSession(ctx, user, tokens, {
    ...begun,
    mfa: 'none',
    ...(trusted && { idp_mfa: true }),
    state: !trusted && needsEnrolment(tenant, user, ctx.now()) ? 'enrol_only' : 'active',
  })
  if (user.mfa_enrolled) await rememberSignIn(ctx, { user, ip, user_agent, country }) // of others it was noted above
  return reply
}
