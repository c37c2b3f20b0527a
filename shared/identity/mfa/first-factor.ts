// Continues a sign-in after its first factor: checks the tenant, asks for a second factor where needed, and opens a session.
import { noteSuccess, rememberSignIn } from '../security-events/note-success.ts'
import type { Context } from '../../base/context.ts'
import { keepPending } from './pending.ts'
import { asksForFactor, needsEnrolment } from './policy.ts'
import { countsFromProvider } from '../access/assurance.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { PoolTokens } from '../accounts/pool.ts'
import type { User } from '../accounts/user.ts'
import { mustBeAllowedIn } from '../sessions/must-be-allowed-in.ts'
import { openSession } from '../sessions/open-session.ts'
import type { SignInView } from '../sessions/sign-in-view.ts'

export type FirstFactor = {
  method: 'password' | 'sso'
  /** RFC 8176. */
  amr: readonly string[]
  /** The identity provider has verified a second factor. */
  trusted_mfa: boolean
  /** When the identity provider ends the session (ISO 8601). */
  session_cap?: string | undefined
  slo_key?: string | undefined
}

/**
 * Throws 403 for a tenant that is not active or does not accept the address, 429 for impossible travel where the tenant
 * blocks it.
 */
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
  const signIn = { ...factor, anomaly_score, country }
  const trusted = trusted_mfa && countsFromProvider(tenant, user)
  if (asksForFactor(tenant, user, { trusted, demanded: demand_second_factor })) {
    return keepPending(ctx, user, tokens, signIn)
  }
  const result = await openSession(ctx, user, tokens, {
    ...signIn,
    mfa: 'none',
    ...(trusted && { idp_mfa: true }),
    state: !trusted && needsEnrolment(tenant, user, ctx.now()) ? 'enrol_only' : 'active',
  })
  if (user.mfa_enrolled) await rememberSignIn(ctx, { user, ip, user_agent, country }) // `noteSuccess` remembers the others
  return result
}
