// Starts a sign-in: finds the tenant, binds the sign-in to the browser and redirects to the identity provider.
import type { Context } from '../../base/context.ts'
import { tenantOfDomain } from '../domains/domain.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalidToken } from '../access/link.ts'
import { inTenant } from '../accounts/acting.ts'
import { pagesUrl, startUrl } from './addresses.ts'
import { domainOf, mustBeOpen } from './admission.ts'
import type { Attempt } from './browser.ts'
import { redirect } from './complete.ts'
import { configurationOf, notConfigured, type SsoConfiguration } from './configuration.ts'
import { cookieFor, cookieHeader } from './cookie.ts'
import { signedUrl } from './redirect-binding.ts'
import { notAdmitted } from './refusal.ts'
import { beginRequest, type NewRequest } from './request.ts'
import { authnRequest } from './saml-messages.ts'
import { testedTenant } from './test-ticket.ts'
import { privateKeySeal } from './secrets.ts'

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
  tenant !== undefined || email === undefined || domains.includes(domainOf(email))

type Asked = { tenant_id: string; test: boolean }

async function tenantOf(ctx: Context, { tenant, email, test }: StartParameters): Promise<Asked> {
  const { table } = ctx
  if (test !== undefined) {
    const tested = await testedTenant(table, test, ctx.now())
    if (tested === undefined) throw invalidToken()
    return { tenant_id: tested, test: true }
  }
  const tenant_id = tenant ?? (email === undefined ? undefined : await tenantOfDomain(table, domainOf(email)))
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
