// Calls the OAuth endpoints of a provider by openid-client, which makes requests and checks answers. Every call goes through the
// safe outbound client.
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  customFetch,
  refreshTokenGrant,
  ResponseBodyError,
  type TokenEndpointResponse,
  tokenRevocation,
} from 'openid-client'
import { env } from '../../../base/lib/runtime.ts'
import { outbound } from '../../../base/lib/safe-http.ts'
import type { OAuthRules } from '../catalogue/provider.ts'
import { conformed, refusalIn, Refused, shownWords, Unanswered } from './conformed.ts'
import type { OAuthClient } from './client.ts'

const DEADLINE_MS = 10_000
const ANSWER_BYTES_MAX = 262_144

export type Grant = TokenEndpointResponse

/** `at`: rules with the addresses of the account. */
export type Endpoint = { rules: OAuthRules; client: OAuthClient }

export type CodeGrant = {
  redirect_uri: string
  code: string
  state: string
  iss?: string | undefined
  verifier?: string | undefined
}

/** Throws `Refused` and `Unanswered`. */
export const redeemCode = (at: Endpoint, { redirect_uri, code, state, iss, verifier }: CodeGrant): Promise<Grant> =>
  asking(() => {
    const url = new URL(redirect_uri)
    url.search = new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) }).toString()
    const checks = { expectedState: state, ...(verifier !== undefined && { pkceCodeVerifier: verifier }) }
    return authorizationCodeGrant(configurationOf(at), url, checks, { ...at.rules.token_params })
  })

/** Throws `Refused` and `Unanswered`. */
export const refreshTokens = (at: Endpoint, refresh_token: string): Promise<Grant> =>
  asking(() => refreshTokenGrant(configurationOf(at), refresh_token, { ...at.rules.token_params }))

/** Throws `Refused` and `Unanswered`. */
export const revokeToken = (at: Endpoint, token: string): Promise<void> =>
  asking(() => tokenRevocation(configurationOf(at), token))

function configurationOf({ rules, client }: Endpoint): Configuration {
  const { authorization_url, token_url, revoke_url, issuer = new URL(authorization_url).origin } = rules
  const server = {
    issuer,
    authorization_endpoint: authorization_url,
    token_endpoint: token_url,
    ...(revoke_url !== undefined && { revocation_endpoint: revoke_url }),
  }
  const authentication =
    rules.client_auth === 'basic' ? plainBasic(client.client_secret) : ClientSecretPost(client.client_secret)
  const configuration = new Configuration(server, client.client_id, undefined, authentication)
  configuration[customFetch] = fetchOf(rules, client)
  // oxlint-disable-next-line typescript/no-deprecated -- marked deprecated only as a warning; a developer's machine has no TLS
  if (env('BASE_URL').startsWith('http:')) allowInsecureRequests(configuration)
  return configuration
}

/** The library encodes id and secret as RFC 6749 §2.3.1 says, hyphens too; providers that want Basic do not decode them. */
const plainBasic =
  (secret: string): ClientAuth =>
  (_, { client_id }, __, headers) =>
    headers.set('authorization', `Basic ${btoa(`${client_id}:${secret}`)}`)

/** A refusal is thrown as it is read: the library knows only those of RFC 6749. */
const fetchOf =
  ({ token_request, token_url, not_now }: OAuthRules, { client_secret }: OAuthClient): CustomFetch =>
  async (url, { headers, body, method }) => {
    const isToken = url === token_url
    const form = body instanceof URLSearchParams ? body : new URLSearchParams(typeof body === 'string' ? body : '')
    const asJson = isToken && token_request === 'json'
    const answer = await outbound({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...headers, accept: 'application/json', ...(asJson && { 'content-type': 'application/json' }) },
      body: asJson ? JSON.stringify(Object.fromEntries(form)) : form.toString(),
      deadlineMs: DEADLINE_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    })
    if (answer.kind !== 'answer') throw new Unanswered(answer.error_class)
    const isCut = answer.body_end !== 'whole' && answer.status < 300
    if (answer.status >= 500 || answer.status === 429 || isCut) throw new Unanswered(`status ${answer.status}`)
    const told = { status: answer.status, text: answer.body.toString() }
    const refusal = isToken ? refusalIn(told, { not_now }) : undefined
    const secrets = [client_secret, form.get('refresh_token') ?? undefined, form.get('code') ?? undefined]
    if (refusal) throw new Refused(shownWords(refusal.code, secrets), shownWords(refusal.words ?? '', secrets))
    const { status, text } = isToken ? conformed(told) : told
    if (isToken && status >= 300) throw new Unanswered('it may be better later')
    return new Response(text === '' || status === 204 ? null : text, {
      status,
      headers: { 'content-type': 'application/json' },
    })
  }

async function asking<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ResponseBodyError) throw new Refused(error.error)
    const known = causes(error).find((one) => one instanceof Unanswered || one instanceof Refused)
    throw known ?? new Unanswered('the answer cannot be used', { cause: error })
  }
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at)
  return chain
}
