// The assertion consumer service: handles the SAML response that a browser posts. It checks the shape, finds the tenant,
// verifies the signature, checks the signed assertion, and accepts each assertion once.
import type { Context } from '../../base/context.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { inTenant } from '../accounts/acting.ts'
import { acsUrl, entityId, tenantOfEntity } from './addresses.ts'
import { groupsIn } from './groups.ts'
import { mustBeOpen } from './admission.ts'
import { readAssertion } from './assertion.ts'
import type { Attempt } from './browser.ts'
import { complete, type Ending } from './complete.ts'
import { configurationOf, type SamlSettings, type SsoConfiguration } from './configuration.ts'
import { notAdmitted, unknownRequest, invalidMessage, seen } from './refusal.ts'
import { findRequest, type SsoRequest, takeRequest } from './request.ts'
import { usedOnce } from './used-message.ts'
import { inspectResponse, type Message, openResponse } from './saml-response.ts'

export type Posted = { response: string; cookie: string | undefined }

export async function takeResponse(
  ctx: Context,
  { response, cookie }: Posted,
  attempt: Attempt,
): Promise<HttpResponse> {
  const message = openResponse(response)
  const { tenant_id, request } = await belongingTo(ctx, message, cookie)
  attempt.tenant_id = tenant_id
  const found = inspectResponse(message, acsUrl())
  const [sso] = await Promise.all([configurationOf(ctx.table, tenant_id), mustBeOpen(ctx.table, tenant_id)])
  const saml = mustAccept(sso, request)
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
    ...(request ? [takeRequest(request)] : []),
    usedOnce(tenant_id, { issuer: idp_entity_id, id: asserted.id, until: asserted.not_on_or_after }),
  ])
  const { name_id, session_index, mfa, name, session_cap, attributes } = asserted
  return complete(within, sso, request ?? UNASKED, {
    email: name_id,
    name,
    amr: mfa ? ['sso', 'mfa'] : ['sso'],
    mfa,
    session_cap,
    slo: { name_id, session_index },
    groups: groupsIn(sso.group_attribute, attributes),
    attributes: [...attributes.keys()],
  })
}

const UNASKED: Ending = { test: false }

type Origin = { tenant_id: string; request?: SsoRequest }

/** Finds the tenant by the request. If the provider began, by the audience, which is verified afterwards. */
async function belongingTo(ctx: Context, message: Message, cookie: string | undefined): Promise<Origin> {
  const { in_response_to: id } = message
  if (id !== undefined) {
    const request = await findRequest(ctx, { id, kind: 'saml', cookie })
    return { tenant_id: request.tenant_id, request }
  }
  const tenant_id = tenantOfEntity(inspectResponse(message, acsUrl()).audience ?? '')
  if (tenant_id === undefined || !/^\w+$/.test(tenant_id)) throw unknownRequest()
  return { tenant_id }
}

function mustAccept({ enabled, protocol, saml }: SsoConfiguration, request: SsoRequest | undefined): SamlSettings {
  if (protocol !== 'saml' || !saml || !(enabled || request?.test)) throw notAdmitted('Single sign-on is switched off.')
  if (!request && !saml.allow_idp_initiated) throw unknownRequest()
  return saml
}
