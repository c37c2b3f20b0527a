// Single logout: the provider signs a person out here, or confirms a sign-out that began here.
import { hashOf, newSecret } from '../access/one-time.ts'
import type { Context } from '../../base/context.ts'
import { tenantOfDomain } from '../domains/domain.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { html, page } from '../../base/wire/page.ts'
import { iso } from '../../base/lib/clock.ts'
import { endGrant } from '../artefacts/end-grant.ts'
import { grantsOf } from '../artefacts/unused.ts'
import { revokeSession } from '../sessions/end-sessions.ts'
import { sessionsOf } from '../sessions/session.ts'
import { inTenant } from '../accounts/acting.ts'
import { domainOf } from './admission.ts'
import type { Attempt } from './browser.ts'
import { redirect } from './complete.ts'
import { configurationOf, type SamlSettings, type SsoConfiguration } from './configuration.ts'
import { type LogoutMessage, readLogoutMessage } from './logout-message.ts'
import { isSigned, signedUrl, type SignedQuery } from './redirect-binding.ts'
import { invalidMessage } from './refusal.ts'
import { ssoRequests, takeRequest } from './request.ts'
import { usedOnce } from './used-message.ts'
import { logoutResponse } from './saml-messages.ts'
import { endHandle, handlesOf, type SloHandle, sloKeyOf } from '../sessions/slo-handle.ts'
import { privateKeySeal } from './secrets.ts'

export async function takeLogout(ctx: Context, query: SignedQuery, attempt: Attempt): Promise<HttpResponse> {
  const message = readLogoutMessage(query, ctx.now())
  return message.kind === 'SAMLRequest' ? signOut(ctx, query, message, attempt) : confirm(ctx, query, message, attempt)
}

/** The tenant is found by the domain of the address in `name_id`, since a domain belongs to one tenant. */
async function signOut(
  ctx: Context,
  query: SignedQuery,
  message: LogoutMessage,
  attempt: Attempt,
): Promise<HttpResponse> {
  const { issuer, name_id, session_index, id, until } = message
  if (name_id === undefined) throw invalidMessage('message', 'The message names no person.')
  const tenant_id = await tenantOfDomain(ctx.table, domainOf(name_id))
  if (tenant_id === undefined) throw invalidMessage('message', 'The message names a person of no tenant.')
  attempt.tenant_id = tenant_id
  const { sso, saml } = await signedBy(ctx, tenant_id, query, message)
  const within = inTenant(ctx, tenant_id)
  await within.table.commit([usedOnce(tenant_id, { issuer, id, until })])
  const handles = await handlesOf(within, { issuer, name_id, session_index })
  await Promise.all(handles.map((handle) => endSessionsOf(within, handle)))
  if (saml.slo_url === undefined) return donePage()
  const answer = { id: `_${newSecret(ctx.random)}`, at: iso(ctx.now()), destination: saml.slo_url, tenant_id }
  return redirect(
    signedUrl(saml.slo_url, {
      kind: 'SAMLResponse',
      message: logoutResponse(answer, id),
      relay_state: query.RelayState,
      private_key: await privateKeySeal.open(sso, sso.sp.private_key),
    }),
  )
}

/** Ends a sign-out that began here. The session has ended before; this only informs the person. */
async function confirm(
  ctx: Context,
  query: SignedQuery,
  message: LogoutMessage,
  attempt: Attempt,
): Promise<HttpResponse> {
  const request = await ctx.table.get(ssoRequests, { id_hash: hashOf(message.in_response_to ?? '') })
  const isOpen = request?.kind === 'saml_logout' && request.expires_at > ctx.now()
  if (!isOpen) throw invalidMessage('request', 'This sign-out has ended, or it did not begin here.')
  attempt.tenant_id = request.tenant_id
  await signedBy(ctx, request.tenant_id, query, message)
  await ctx.table.commit([takeRequest(request)])
  return donePage()
}

type Signed = { sso: SsoConfiguration; saml: SamlSettings }

/** Throws 401 unless the tenant's provider signed the message. */
async function signedBy(
  ctx: Context,
  tenant_id: string,
  query: SignedQuery,
  { issuer }: LogoutMessage,
): Promise<Signed> {
  const sso = await configurationOf(ctx.table, tenant_id)
  const { saml } = sso
  if (saml?.idp_entity_id !== issuer)
    throw invalidMessage('issuer', 'The message comes from another identity provider.')
  if (!isSigned(query, saml.certificates))
    throw invalidMessage('signature', 'The message is not signed by the identity provider.')
  return { sso, saml }
}

/** Also the sign-ins of browsers for OAuth, which look at the handle, and what was granted in them. */
async function endSessionsOf(ctx: Context, handle: SloHandle): Promise<void> {
  const { tenant_id, user_id } = handle
  await endHandle(ctx, handle)
  const [sessions, grants] = await Promise.all([sessionsOf(ctx.table, tenant_id, user_id), grantsOf(ctx, user_id)])
  const isMeant = ({ slo_key }: { slo_key?: string | undefined }) => slo_key === sloKeyOf(handle)
  await Promise.all([
    ...sessions.filter(isMeant).map((session) => revokeSession(ctx, session, 'sso_logout')),
    ...grants.filter(isMeant).map((grant) => endGrant(ctx, grant, user_id)),
  ])
}

const donePage = () => page('You are signed out', html`<p>You can close this window.</p>`, { unchanged: true })
