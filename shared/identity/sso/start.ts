// Starts a sign-in: finds the tenant, binds the sign-in to the browser and redirects to the identity provider. The stored request
// waits for the answer.
import type { Context } from '../../base/context.ts'
import { tenantOfDomain } from '../domains/domain.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalidToken } from '../access/link.ts'
import { inTenant } from '../accounts/find.ts'
import { pagesUrl, startUrl } from './addresses.ts'
import { mailHost } from '../../base/lib/mailbox.ts'
import { mustBeOpen, notAdmitted, unknownRequest } from './refusal.ts'
import { type Attempt, cookieFor, cookieHeader } from './browser.ts'
import { redirect } from './complete.ts'
import { configurationOf, notConfigured, type SsoConfiguration } from './settings/configuration.ts'
import { signedUrl } from './saml/redirect-binding.ts'
import { authnRequest } from './saml/messages.ts'
import { testedTenant } from './one-time-code.ts'
import { privateKeySeal } from './settings/secrets.ts'
import * as z from 'zod'
import { ID } from '../../base/wire/fields.ts'
import { hashOf, newSecret } from '../access/one-time.ts'
import { bound } from '../../base/table/bound.ts'
import { key, type Write } from '../../base/table/entity.ts'

export type StartParameters = {
  tenant?: string | undefined
  email?: string | undefined
  redirect_uri?: string | undefined
  state?: string | undefined
  code_challenge?: string | undefined
  /** The OAuth authorisation in which the person signs in. */
  interaction?: string | undefined
  /** The ticket of a connection test. */
  test?: string | undefined
}

/** Begins a sign-in with one protocol and returns the URL of the provider. */
export type Begin = (ctx: Context, sso: SsoConfiguration, request: NewRequest, cookie: string) => Promise<string>

type Here = { protocol: 'saml' | 'oidc'; begin: Begin }

/** When the tenant uses the other protocol, redirects to the host of that protocol. */
export async function start(
  ctx: Context,
  parameters: StartParameters,
  headers: Headers,
  { protocol, begin }: Here,
  attempt: Attempt,
): Promise<HttpResponse> {
  const { tenant_id, test } = await tenantOf(ctx, parameters)
  const [sso] = await Promise.all([configurationOf(ctx.table, tenant_id), mustBeOpen(ctx.table, tenant_id)])
  if (!(sso.enabled && speaksFor(sso, parameters)) && !test) throw notConfigured()
  if (sso.protocol !== protocol) return redirect(startUrl(sso.protocol, { ...parameters, tenant: tenant_id }))
  attempt.tenant_id = tenant_id
  const { state, code_challenge, interaction } = parameters
  const redirect_uri = interaction === undefined && !test ? returnAddress(sso, parameters.redirect_uri) : undefined
  const cookie = cookieFor(ctx, headers)
  const request = { tenant_id, kind: protocol, redirect_uri, state, code_challenge, interaction, test }
  return redirect(await begin(inTenant(ctx, tenant_id), sso, request, cookie), cookieHeader(cookie))
}

/** When the tenant was found by an address, its configuration must list the domain of that address. */
const speaksFor = ({ domains }: SsoConfiguration, { tenant, email }: StartParameters) =>
  tenant !== undefined || email === undefined || domains.includes(mailHost(email))

type Asked = { tenant_id: string; test: boolean }

async function tenantOf(ctx: Context, { tenant, email, test }: StartParameters): Promise<Asked> {
  const { table } = ctx
  if (test !== undefined) {
    const tested = await testedTenant(table, test, ctx.now())
    if (tested === undefined) throw invalidToken()
    return { tenant_id: tested, test: true }
  }
  const tenant_id = tenant ?? (email === undefined ? undefined : await tenantOfDomain(table, mailHost(email)))
  if (tenant_id === undefined) throw notConfigured()
  return { tenant_id, test: false }
}

function returnAddress({ login_redirect_uris: listed }: SsoConfiguration, wanted: string | undefined): string {
  if (wanted !== undefined && isOwnPage(wanted)) return wanted
  const found = wanted === undefined ? listed[0] : listed.find((uri) => uri === wanted)
  if (found !== undefined) return found
  throw notAdmitted(
    wanted === undefined
      ? 'There is no address to return to. Send redirect_uri.'
      : 'This redirect_uri is not registered.',
  )
}

/** Pages of the application host sign people in by themselves; only the browser that began can use the code. */
const isOwnPage = (uri: string) => /^[\w/-]+$/.test(uri.slice(pagesUrl().length)) && uri.startsWith(pagesUrl())

/** Begins a sign-in with SAML by a signed request. */
export const beginSaml: Begin = async (ctx, sso, request, cookie) => {
  if (!sso.saml) throw notConfigured()
  const [id, private_key] = await Promise.all([
    beginRequest(ctx, request, cookie),
    privateKeySeal.open(sso, sso.sp.private_key),
  ])
  const { sso_url: destination } = sso.saml
  const message = authnRequest({ id, at: iso(ctx.now()), destination, tenant_id: sso.tenant_id })
  return signedUrl(destination, { kind: 'SAMLRequest', message, private_key })
}

/** RFC 7636: base64url of a SHA-256. */
const challenge = z.string().regex(/^[\w-]{43}$/, 'This is not a code challenge. Send one of the method S256.')

export const startShapes = {
  query: z.object({
    tenant: z.string().regex(ID).optional().describe('The id of the tenant.'),
    email: z.string().max(254).optional().describe('The whole address.'),
    redirect_uri: z
      .string()
      .max(2_048)
      .optional()
      .describe('Where the answer goes, a registered address.')
      .meta({ examples: ['https://reporter.example/callback'] }),
    state: z.string().max(1_024).optional().describe('Returned unchanged with the answer.'),
    code_challenge: challenge.optional().describe('The challenge of PKCE (RFC 7636).'),
    code_challenge_method: z.literal('S256').optional().describe('How the challenge was made (RFC 7636).'),
    interaction: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional()
      .describe('The OAuth sign-in that this one belongs to.'),
    test: z.string().max(64).optional().describe('The ticket of a connection test.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

const LIFE_MS = 600_000

/** A sign-in that waits for the answer of the provider. It is bound to one browser, lasts ten minutes and accepts one answer. */
const SsoRequest = z.object({
  id_hash: z.string(),
  tenant_id: z.string(),
  /** `saml_logout`: a sign-out that waits for an answer. */
  kind: z.enum(['saml', 'oidc', 'saml_logout']),
  /** The hash of the browser's cookie. An answer from another browser is refused. */
  cookie_hash: z.string(),
  /** Where the one-time code is sent, with `state`. */
  redirect_uri: z.string().optional(),
  state: z.string().optional(),
  code_challenge: z.string().optional(),
  /** Instead of `redirect_uri`: the OAuth authorisation in which the person signs in. */
  interaction: z.string().optional(),
  /** The sign-in ends with a report and never with a session. */
  test: z.boolean(),
  /** OpenID Connect only. */
  nonce: z.string().optional(),
  code_verifier: z.string().optional(),
  expires_at: z.int(),
})
export type SsoRequest = z.output<typeof SsoRequest>

export const ssoRequests = bound({
  name: 'SSOREQ',
  schema: SsoRequest,
  key: ({ id_hash }: { id_hash: string }) => ({ pk: key('SSOREQ', id_hash), sk: 'REQ' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

type NewRequest = Omit<SsoRequest, 'id_hash' | 'cookie_hash' | 'expires_at'>

/** Stores the request and returns its id, which is a valid XML name. */
export async function beginRequest(ctx: Context, request: NewRequest, cookie: string): Promise<string> {
  const id = `_${newSecret(ctx.random)}`
  const hashes = { id_hash: hashOf(id), cookie_hash: hashOf(cookie) }
  await ctx.table.commit([ssoRequests.insert({ ...request, ...hashes, expires_at: ctx.now() + LIFE_MS })])
  return id
}

export type Presented = { id: string; kind: SsoRequest['kind']; cookie: string | undefined }

/** Throws 401 for a request that does not exist, has expired or belongs to another browser. Does not use it up. */
export async function findRequest(ctx: Context, { id, kind, cookie }: Presented): Promise<SsoRequest> {
  const found = await ctx.table.get(ssoRequests, { id_hash: hashOf(id) })
  const isOpen = found?.kind === kind && found.expires_at > ctx.now()
  if (!isOpen || cookie === undefined || found.cookie_hash !== hashOf(cookie)) throw unknownRequest()
  return found
}

/** Uses the request up. Of several concurrent answers one succeeds. */
export const takeRequest = ({ id_hash }: SsoRequest): Write =>
  ssoRequests.remove({ id_hash }, { expression: 'attribute_exists(pk)' }, unknownRequest())
