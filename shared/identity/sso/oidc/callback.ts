// Handles the return from an OpenID provider: exchanges the code for an ID token and signs in the person of the token.
import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client'
import type { Context } from '../../../base/context.ts'
import type { HttpResponse } from '../../../base/wire/call.ts'
import { inTenant } from '../../accounts/find.ts'
import { oidcRedirectUri } from '../addresses.ts'
import { invalidMessage, mustBeOpen, notAdmitted } from '../refusal.ts'
import type { Attempt } from '../browser.ts'
import { type Claims, personOf } from './attributes.ts'
import { complete } from '../complete.ts'
import { configurationOf, type SsoConfiguration } from '../settings/configuration.ts'
import { moveAddress } from '../update-account.ts'
import { asking, providerOf } from './provider.ts'
import { findRequest, type SsoRequest, takeRequest } from '../start.ts'

type Query = Readonly<Record<string, string | undefined>>

export type Returned = { query: Query; cookie: string | undefined }

/**
 * Throws 401 unless the answer belongs to a sign-in that this browser has begun, and the provider confirms it. The stored request is
 * used up first: an answer is accepted once, and after a failure the person signs in again.
 */
export async function takeCodeOf(ctx: Context, { query, cookie }: Returned, attempt: Attempt): Promise<HttpResponse> {
  const request = await findRequest(ctx, { id: query.state ?? '', kind: 'oidc', cookie })
  const { tenant_id } = request
  attempt.tenant_id = tenant_id
  const [sso] = await Promise.all([configurationOf(ctx.table, tenant_id), mustBeOpen(ctx.table, tenant_id)])
  if (sso.protocol !== 'oidc' || !(sso.enabled || request.test)) throw notAdmitted('Single sign-on is switched off.')
  await ctx.table.commit([takeRequest(request)])
  const within = inTenant(ctx, tenant_id)
  const claims = await claimsFor(within, sso, request, query)
  return complete(within, sso, request, personOf(claims, sso), moveAddress)
}

const EMAIL = 'email'

async function claimsFor(
  ctx: Context,
  sso: SsoConfiguration,
  { nonce, code_verifier }: SsoRequest,
  query: Query,
): Promise<Claims> {
  if (query.error !== undefined) throw invalidMessage('status', 'The identity provider did not sign you in.')
  if (nonce === undefined || code_verifier === undefined)
    throw new Error('the stored sign-in request has no nonce or no code verifier')
  const provider = await providerOf(ctx, sso)
  const url = new URL(oidcRedirectUri())
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  const checks = { expectedState: query.state ?? '', expectedNonce: nonce, pkceCodeVerifier: code_verifier }
  const tokens = await validAnswer(() => authorizationCodeGrant(provider, url, { ...checks, idTokenExpected: true }))
  const claims = tokens.claims()
  // The library checks `azp` only when there are several audiences.
  const isOurs = claims?.azp === undefined || claims.azp === sso.oidc?.client_id
  if (!claims || !isOurs) throw invalidMessage('audience', 'The identity provider issued its token to another client.')
  const isComplete = [EMAIL, sso.group_attribute].every((name) => name === undefined || claims[name] !== undefined)
  return isComplete ? claims : withUserInfo(provider, tokens.access_token, claims)
}

/** Adds the claims of the userinfo endpoint, for an ID token without the address or the groups. */
async function withUserInfo(provider: Configuration, access_token: string, claims: Claims): Promise<Claims> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return claims
  const userInfo = await validAnswer(() => fetchUserInfo(provider, access_token, claims.sub))
  return { ...userInfo, ...claims }
}

/** Answers that the library refuses become a 401. */
const validAnswer = <T>(call: () => Promise<T>): Promise<T> =>
  asking(call, (error) => invalidMessage('message', 'The answer of the identity provider is not valid.', error))
