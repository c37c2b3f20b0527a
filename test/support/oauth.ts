// OAuth as its parties see it: clients with `openid-client`, people with a browser without scripts.
import * as client from 'openid-client'
import { vi } from 'vitest'
import { clients } from '../../functions/clients/routes.ts'
import { auditEntries, auditPartition } from '../../shared/ledger/audit/entry.ts'
import { systemContext } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import { Browser, type Place } from './browser.ts'
import { type LocalStack, PASSWORD, type TestTenant } from './local-stack.ts'

export const CALLBACK = 'https://client.example/callback'

export const CODE_CLIENT = {
  name: 'Reporter',
  type: 'public',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'profile', 'email', 'offline_access', 'governance:read', 'diagnostic:read'],
}

export const MACHINE = {
  name: 'Robot',
  type: 'confidential',
  grant_types: ['client_credentials'],
  scopes: ['governance:read', 'diagnostic:read'],
}

/** The local hosts have no TLS. */
// oxlint-disable-next-line typescript/no-deprecated -- marked so by its authors only to be noticed
export const INSECURE = { execute: [client.allowInsecureRequests] }

type Local = Pick<LocalStack, 'appUrl'>

/** What the API answers to a new client; throws when it is none. */
export async function newClient({ call }: Pick<TestTenant, 'call'>, body: object = CODE_CLIENT) {
  const reply = await call(clients.create, { body })
  if (reply.status !== 201) throw new Error(`no client: ${JSON.stringify(reply.body)}`)
  return reply.body as { client_id: string; client_secret?: string } // the reply's own shape
}

/** A client as it knows itself after discovery. */
export async function discovered(
  { appUrl }: Local,
  { client_id, client_secret }: { client_id: string; client_secret?: string },
) {
  const authentication = client_secret === undefined ? client.None() : client.ClientSecretBasic(client_secret)
  return client.discovery(new URL(appUrl), client_id, undefined, authentication, INSECURE)
}

export type Asked = { url: URL; verifier: string; state: string; nonce: string }

export async function authorizationRequest(
  config: client.Configuration,
  over: Record<string, string> = {},
): Promise<Asked> {
  const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email offline_access governance:read',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...over,
  })
  return { url, verifier, state, nonce }
}

export type Person = { email: string; password?: string }

/** From the client's request to its answer: signs in where that is asked, and agrees. */
export async function agree(browser: Browser, url: URL, { email, password = PASSWORD }: Person): Promise<Place> {
  let place = await browser.open(url.href)
  if (place.text.includes('<h1>Sign in</h1>')) place = await browser.press(place, 'password', { email, password })
  if (place.text.includes('<h1>Give access?</h1>')) place = await browser.press(place, 'allow')
  return place
}

/** Throws what the client makes of an answer that is not tokens. */
export const exchange = (config: client.Configuration, place: Pick<Place, 'url'>, { verifier, state, nonce }: Asked) =>
  client.authorizationCodeGrant(config, new URL(place.url), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  })

/** The whole way, in a browser of its own. */
export async function authorized(
  local: Local,
  config: client.Configuration,
  person: Person,
  over: Record<string, string> = {},
) {
  const asked = await authorizationRequest(config, over)
  const place = await agree(new Browser(local.appUrl), asked.url, person)
  return { asked, place, tokens: await exchange(config, place, asked) }
}

/** What the audit log of a tenant holds of this month, as `resource.verb`. */
export async function auditedActions({ tenant_id }: Pick<TestTenant, 'tenant_id'>): Promise<string[]> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const entries = await ctx.table.query(auditEntries, { pk: auditPartition(ctx.space, iso(ctx.now()).slice(0, 7)) })
  return entries.map(({ action }) => action)
}

/** The library asks the system for the time. Here that is the clock of the stack, until the spy is restored. */
export const followClock = ({ clock }: Pick<LocalStack, 'clock'>) => vi.spyOn(Date, 'now').mockImplementation(clock.now)
