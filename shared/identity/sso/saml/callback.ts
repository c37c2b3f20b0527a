// The assertion consumer service: handles the SAML response that a browser posts. It checks the shape, finds the tenant,
// verifies the signature, checks the signed assertion, and accepts each assertion once.
import type { Context } from '../../../base/context.ts'
import type { HttpResponse } from '../../../base/wire/call.ts'
import { canonicalMailbox } from '../../../base/lib/mailbox.ts'
import { inTenant } from '../../accounts/find.ts'
import { acsUrl, entityId, tenantOfEntity } from '../addresses.ts'
import { groupsIn } from '../oidc/attributes.ts'
import { invalidMessage, mustBeOpen, notAdmitted, seen, unknownRequest } from '../refusal.ts'
import { readAssertion } from './assertion.ts'
import type { Attempt } from '../browser.ts'
import { complete, type Ending } from '../complete.ts'
import { configurationOf, type SamlSettings, type SsoConfiguration } from '../settings/configuration.ts'
import { openedKeys } from '../settings/encryption-keys.ts'
import { isEncrypted, plainResponse } from './decrypt.ts'
import { findRequest, type SsoRequest, takeRequest } from '../start.ts'
import { usedOnce } from './redirect-binding.ts'
import { inspectResponse, type Message, openResponse } from './response.ts'

export type Posted = { response: string; cookie: string | undefined }

/**
 * Throws 401 unless the response belongs to a sign-in that this browser has begun (or the tenant lets the provider begin), and carries
 * one assertion that the configured provider has signed for this service. Only the signed bytes are read. Request and assertion are
 * used up before the account is read, so of concurrent copies one signs in; after a later failure the person begins again.
 */
export async function takeResponse(
  ctx: Context,
  { response, cookie }: Posted,
  attempt: Attempt,
): Promise<HttpResponse> {
  const message = openResponse(response)
  const { tenant_id, request } = await belongingTo(ctx, message, cookie)
  attempt.tenant_id = tenant_id
  const [sso] = await Promise.all([configurationOf(ctx.table, tenant_id), mustBeOpen(ctx.table, tenant_id)])
  const saml = mustAccept(sso, request)
  const { plain, isTaken } = await decrypted(ctx, sso, { message, request })
  const found = inspectResponse(plain, acsUrl())
  if (found.issuer !== undefined && found.issuer !== saml.idp_entity_id) {
    throw invalidMessage('issuer', `The Issuer of the response is ${seen(found.issuer)} and not ${saml.idp_entity_id}.`)
  }
  const expected = { entity_id: entityId(tenant_id), acs: acsUrl(), in_response_to: found.in_response_to }
  const { signedAssertion } = await import('./verify-response.ts') // loaded late, because it is large and many requests fail before
  const signed = await signedAssertion(found, { ...expected, certificates: saml.certificates })
  const { idp_entity_id } = saml
  const { attribute_map } = sso
  const asserted = readAssertion(signed, { ...expected, idp_entity_id, attribute_map, now: ctx.now() })
  const within = inTenant(ctx, tenant_id)
  await within.table.commit([
    ...(request && !isTaken ? [takeRequest(request)] : []),
    usedOnce(tenant_id, { issuer: idp_entity_id, id: asserted.id, until: asserted.not_on_or_after }),
  ])
  const { name_id, session_index, mfa, name, session_cap, attributes } = asserted
  return complete(within, sso, request ?? UNASKED, {
    email: canonicalMailbox(name_id) ?? name_id,
    name,
    amr: mfa ? ['sso', 'mfa'] : ['sso'],
    mfa,
    session_cap,
    slo: { name_id, session_index },
    groups: groupsIn(sso.group_attribute, attributes),
    attributes: [...attributes.keys()],
  })
}

type Received = { message: Message; request: SsoRequest | undefined }
type Decrypted = { plain: Message; isTaken: boolean }

/**
 * A request is used up before the first decryption: an attacker who tries changed messages, to learn from the answers what is
 * encrypted, needs a new sign-in for each. For the same reason nothing encrypted is accepted without a request.
 */
async function decrypted(ctx: Context, sso: SsoConfiguration, { message, request }: Received): Promise<Decrypted> {
  const wanted = sso.saml?.assertion_encryption ?? 'off'
  if (!isEncrypted(message)) {
    inspectResponse(message, acsUrl()) // an answer without an assertion is refused for what it says
    if (wanted === 'required')
      throw invalidMessage('encryption', 'The assertion is not encrypted, and assertion_encryption is required.')
    return { plain: message, isTaken: false }
  }
  if (wanted === 'off')
    throw invalidMessage('encryption', 'The assertion is encrypted, and assertion_encryption is off.')
  if (!request) throw unknownRequest()
  await ctx.table.commit([takeRequest(request)])
  return { plain: plainResponse(message, await openedKeys(sso)), isTaken: true }
}

const UNASKED: Ending = { test: false }

type Origin = { tenant_id: string; request?: SsoRequest }

/** Finds the tenant by the request. If the provider began, by the one audience that is a tenant, which is verified afterwards. */
async function belongingTo(ctx: Context, message: Message, cookie: string | undefined): Promise<Origin> {
  const { in_response_to: id } = message
  if (id !== undefined) {
    const request = await findRequest(ctx, { id, kind: 'saml', cookie })
    return { tenant_id: request.tenant_id, request }
  }
  const tenants = inspectResponse(message, acsUrl()).audiences.flatMap((one) => tenantOfEntity(one) ?? [])
  const [tenant_id, other] = tenants
  if (tenant_id === undefined || other !== undefined || !/^\w+$/.test(tenant_id)) throw unknownRequest()
  return { tenant_id }
}

function mustAccept({ enabled, protocol, saml }: SsoConfiguration, request: SsoRequest | undefined): SamlSettings {
  if (protocol !== 'saml' || !saml || !(enabled || request?.test)) throw notAdmitted('Single sign-on is switched off.')
  if (!request && !saml.allow_idp_initiated) throw unknownRequest()
  return saml
}
