import { buildAuthorizationUrl } from 'openid-client'
import { hashOf, newSecret } from '../access/one-time.ts'
import { oidcRedirectUri } from './addresses.ts'
import { providerOf } from './oidc-provider.ts'
import { beginRequest } from './request.ts'
import type { Begin } from './start.ts'
import type { SsoConfiguration } from './configuration.ts'
import { OIDC_SCOPES } from './view.ts'

/** Always uses state, nonce and PKCE, even if the provider does not require them. */
export const beginOidc: Begin = async (ctx, sso, request, cookie) => {
  const provider = await providerOf(ctx, sso)
  const [nonce, code_verifier] = [newSecret(ctx.random), newSecret(ctx.random)]
  const state = await beginRequest(ctx, { ...request, nonce, code_verifier }, cookie)
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: oidcRedirectUri(),
    response_type: 'code',
    scope: scopesFor(sso, provider.serverMetadata().scopes_supported),
    state,
    nonce,
    code_challenge: hashOf(code_verifier),
    code_challenge_method: 'S256',
  })
  return url.toString()
}

/** Some providers name groups only when they are asked for them, by a scope that is not standardised. Others refuse unknown scopes. */
const scopesFor = ({ group_attribute }: SsoConfiguration, supported: readonly string[] = []): string =>
  group_attribute !== undefined && supported.includes('groups') ? `${OIDC_SCOPES} groups` : OIDC_SCOPES
