// The OpenID provider of a tenant. Its URLs come from the tenant and from the provider, so every call goes through the safe
// outbound client, with limits on time and size.
import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client'
import type { Context } from '../../../base/context.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { env } from '../../../base/lib/runtime.ts'
import { outbound } from '../../../base/lib/safe-http.ts'
import { ProviderFailed } from '../browser.ts'
import type { OidcSettings, SsoConfiguration } from '../settings/configuration.ts'
import { clientSecretSeal } from '../settings/secrets.ts'
import { hashOf, newSecret } from '../../access/one-time.ts'
import { oidcRedirectUri } from '../addresses.ts'
import { type Begin, beginRequest } from '../start.ts'
import { OIDC_SCOPES } from '../settings/view.ts'

const DEADLINE_MS = 5_000
const ANSWER_BYTES_MAX = 1_048_576
const CLOCK_TOLERANCE_S = 60

/** Returns complete answers of the provider. Throws ProviderFailed for anything else. */
const safeFetch: CustomFetch = async (url, { method, headers, body }) => {
  const text = typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : undefined
  const outcome = await outbound({
    url,
    method: method === 'POST' ? 'POST' : 'GET',
    headers,
    ...(text !== undefined && { body: text }),
    deadlineMs: DEADLINE_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  if (outcome.kind !== 'answer')
    throw new ProviderFailed(`The identity provider does not answer (${outcome.error_class}).`)
  const { status, body: bytes, body_end } = outcome
  if (body_end !== 'whole') throw new ProviderFailed('The answer of the identity provider is too long or incomplete.')
  if (status >= 300 && status < 400)
    throw new ProviderFailed('The identity provider answers with a redirect, which is not allowed here.')
  const type = outcome.headers['content-type'] ?? ''
  return new Response(bytes.length > 0 && status !== 204 ? new Uint8Array(bytes) : null, {
    status,
    headers: { 'content-type': type },
  })
}

/** Reads the discovery document of the provider. Throws ProviderFailed when that fails. */
export async function discovered(ctx: Context, { issuer, client_id }: OidcSettings, client_secret: string) {
  const server = new URL(issuer)
  const local = env('BASE_URL').startsWith('http:')
  const metadata = {
    // Not zero only in tests that move the clock.
    [clockSkew]: Math.round((ctx.now() - systemClock.now()) / 1_000),
    [clockTolerance]: CLOCK_TOLERANCE_S,
  }
  // oxlint-disable-next-line typescript/no-deprecated -- marked deprecated only as a warning; a developer's machine has no TLS
  const execute = [enableNonRepudiationChecks, ...(local ? [allowInsecureRequests] : [])]
  const provider = await asking(() =>
    discovery(server, client_id, metadata, clientAuth(client_secret), { [customFetch]: safeFetch, execute }),
  )
  mustBeItself(provider, server)
  return provider
}

/** Some providers serve many organisations at one address, so the issuer must be exactly the configured one. */
function mustBeItself(provider: Configuration, server: URL): void {
  const { issuer } = provider.serverMetadata()
  if (new URL(issuer).href !== server.href)
    throw new ProviderFailed('The identity provider names another issuer than the configured one.')
}

/** Sends the secret in the body if the provider supports it, because implementations differ in the encoding of the header. */
const clientAuth =
  (secret: string): ClientAuth =>
  (server, ...request) => {
    const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    return (inBody ? ClientSecretPost(secret) : ClientSecretBasic(secret))(server, ...request)
  }

/** The provider of a configuration, with its client secret. */
export async function providerOf(ctx: Context, sso: SsoConfiguration): Promise<Configuration> {
  if (!sso.oidc) throw new ProviderFailed('No OpenID provider is configured.')
  return discovered(ctx, sso.oidc, await clientSecretSeal.open(sso, sso.oidc.client_secret))
}

/** Runs a call of the library. Throws ProviderFailed when the provider did not answer, and `refusal` for any other error. */
export async function asking<T>(call: () => Promise<T>, refusal: (error: unknown) => Error = unusable): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw causes(error).find((one) => one instanceof ProviderFailed) ?? refusal(error)
  }
}

const unusable = (cause: unknown) =>
  new ProviderFailed('The discovery document of the identity provider cannot be used.', { cause })

function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at)
  return chain
}

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
