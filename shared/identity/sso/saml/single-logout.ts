// Single logout: the provider signs a person out here, or confirms a sign-out that began here.
import { hashOf, newSecret } from '../../access/one-time.ts'
import type { Context } from '../../../base/context.ts'
import { tenantOfDomain } from '../../domains/domain.ts'
import type { HttpResponse } from '../../../base/wire/call.ts'
import { html, page } from '../../../base/wire/page.ts'
import { iso } from '../../../base/lib/clock.ts'
import { endGrant } from '../../artefacts/end-grant.ts'
import { grantsOf } from '../../artefacts/store.ts'
import { revokeSession } from '../../sessions/end-sessions.ts'
import { sessionsOf } from '../../sessions/session.ts'
import { inTenant } from '../../accounts/find.ts'
import { mailHost } from '../../../base/lib/mailbox.ts'
import { invalidMessage } from '../refusal.ts'
import type { Attempt } from '../browser.ts'
import { redirect } from '../complete.ts'
import { configurationOf, type SamlSettings, type SsoConfiguration } from '../settings/configuration.ts'
import { inflated, isSigned, type SignedQuery, signedUrl, usedOnce } from './redirect-binding.ts'
import { ssoRequests, takeRequest } from '../start.ts'
import { ASSERTION, logoutResponse, PROTOCOL } from './messages.ts'
import { endHandle, handlesOf, type SloHandle, sloKeyOf } from '../../sessions/slo-handle.ts'
import { privateKeySeal } from '../settings/secrets.ts'
import { sloUrl } from '../addresses.ts'
import { mustBePlain, readSafely } from './response.ts'
import { childNamed, type Element, readXml, textOf } from './xml.ts'

/**
 * Takes a logout request or a logout response. Throws 401 for a message that the tenant's provider has not signed, or that was used
 * before. The message is used up first: if the process dies before all sessions of the sign-in have ended, those that are left
 * live until their end, or until the provider sends another message.
 */
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
  const tenant_id = await tenantOfDomain(ctx.table, mailHost(name_id))
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

/** Also ends the sign-ins of browsers for OAuth, which read the handle at each use, and the grants that were given in them. */
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

const SKEW_MS = 60_000
const AGE_MAX_MS = 600_000

/** Nothing in it is verified yet: the tenant, and with it the certificates, are found by the content of the message. */
type LogoutMessage = {
  kind: SignedQuery['kind']
  id: string
  issuer: string
  in_response_to: string | undefined
  name_id: string | undefined
  session_index: string | undefined
  /** ms; a second use before this time must be refused. */
  until: number
}

/** Throws 401 for a message that is not about a sign-out, is meant for another recipient, or is too old at `now` (ms). */
function readLogoutMessage({ kind, value }: SignedQuery, now: number): LogoutMessage {
  const text = inflated(value)
  if (text === undefined) throw invalidMessage('message', 'The message cannot be read.')
  return readSafely(() => described(readXml(text), kind, now))
}

function described(root: Element, kind: SignedQuery['kind'], now: number): LogoutMessage {
  const isOurs =
    root.namespace === PROTOCOL && root.name === (kind === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse')
  const id = root.attributes.get('ID')
  const issuer = textOf(childNamed(root, ASSERTION, 'Issuer'))
  if (!isOurs || !id || issuer === undefined) throw invalidMessage('message', 'The message is not about a sign-out.')
  mustBePlain(root)
  const destination = root.attributes.get('Destination')
  if (destination !== undefined && destination !== sloUrl())
    throw invalidMessage('destination', 'The message is meant for another recipient.')
  const nameId = childNamed(root, ASSERTION, 'NameID')
  return {
    kind,
    id,
    issuer,
    in_response_to: root.attributes.get('InResponseTo'),
    name_id: textOf(nameId),
    session_index: textOf(childNamed(root, PROTOCOL, 'SessionIndex')),
    until: freshUntil(root, now),
  }
}

/** The end of the message's validity: its own end, but at most ten minutes after it was issued. */
function freshUntil(root: Element, now: number): number {
  const at = (name: string) => Date.parse(root.attributes.get(name) ?? '')
  const issued = at('IssueInstant')
  const end = root.attributes.has('NotOnOrAfter') ? at('NotOnOrAfter') : Number.POSITIVE_INFINITY
  const until = Math.min(issued + AGE_MAX_MS, end)
  if (!(issued <= now + SKEW_MS) || !(until + SKEW_MS > now)) {
    throw invalidMessage('time', `The message is too old or not valid yet (it is ${iso(now)}).`)
  }
  return until
}
