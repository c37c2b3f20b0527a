// A tenant with a verified domain that signs in by SAML, and a browser that goes there and back.
import { sso } from '../../../functions/sso/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { claims } from '../../../shared/identity/domains/domain.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { inflated } from '../../../shared/identity/sso/saml/redirect-binding.ts'
import type { Call, Reply } from '../../support/call.ts'
import { send } from '../../support/http.ts'
import type { LocalStack, TestTenant } from '../../support/local-stack.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { encoded, good, IDP, type Key, newKey, response, type Said, signedAssertion } from './forged.ts'

export const CALLBACK = 'https://app.acme.example/callback'

let domains = 0

/** A domain that is the tenant's, without any DNS. */
export async function ownDomain(tenant: TestTenant, name = `sso-${(domains += 1)}.example`): Promise<string> {
  const at = iso(openTable().clock.now())
  const claim = {
    domain: name,
    tenant_id: tenant.tenant_id,
    status: 'verified' as const,
    verified_at: at,
    checked_at: at,
  }
  await openTable().commit([claims.insert({ ...claim, misses: 0, due: '9999-01-01' })])
  return name
}

/** As the owner in person, unless somebody else is named. */
export async function configure(local: LocalStack, tenant: TestTenant, body: object, by?: Call): Promise<Reply> {
  const call = by ?? (await ownerInPerson(local, tenant)).call
  return call(sso.configure, { params: { tenant_id: tenant.tenant_id }, body })
}

export const samlBody = (domain: string, key: Key, over: object = {}, saml: object = {}) => ({
  protocol: 'saml',
  domains: [domain],
  login_redirect_uris: [CALLBACK],
  saml: { idp_entity_id: IDP, sso_url: 'https://idp.example/sso', certificates: [key.certificate], ...saml },
  ...over,
})

/** `attribute` names the provider. */
export const idpMetadata = ({ certificate }: Key, attribute: string): string =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"${attribute}><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>`

export type Begun = { id: string; cookie: string; location: URL; request: string }

/** A browser that is sent to the provider. */
export async function begin(local: LocalStack, query: Record<string, string>): Promise<Begun> {
  const reply = await local.call(sso.start, { query })
  if (reply.status !== 302) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
  const location = new URL(reply.headers.location ?? '')
  const request = inflated(location.searchParams.get('SAMLRequest') ?? '') ?? ''
  return {
    id: / ID="([^"]+)"/.exec(request)?.[1] ?? '',
    cookie: (reply.headers['set-cookie'] ?? '').split(';')[0] ?? '',
    location,
    request,
  }
}

export type Answered = { status: number; location: URL | undefined; code: string; text: string }

/** What the browser posts in the provider's name, and where it is sent then. */
export async function post(local: LocalStack, SAMLResponse: string, cookie = ''): Promise<Answered> {
  const answer = await send(`${local.apiUrl}${sso.samlCallback.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(cookie && { cookie }) },
    body: new URLSearchParams({ SAMLResponse, RelayState: 'https://evil.example/' }).toString(),
  })
  const location = answer.headers.location === undefined ? undefined : new URL(answer.headers.location)
  return { status: answer.status, location, code: location?.searchParams.get('code') ?? '', text: answer.text }
}

export const redeem = (local: LocalStack, code: string, body: object = {}): Promise<Reply> =>
  local.call(sso.token, { body: { code, ...body } })

export async function samlTenant(local: LocalStack, over: object = {}, saml: object = {}) {
  const tenant = await local.tenant({ plan: 'business' })
  const [domain, key] = [await ownDomain(tenant), await newKey()]
  const configured = await configure(local, tenant, samlBody(domain, key, over, saml))
  if (configured.status !== 200) throw new Error(JSON.stringify(configured.body))
  const { sp } = configured.body
  const basis = { audience: sp.entity_id, recipient: sp.acs_url }
  return {
    tenant,
    domain,
    key,
    sp,
    begin: (query: Record<string, string> = {}) => begin(local, { tenant: tenant.tenant_id, ...query }),
    said: (in_response_to: string | undefined, change: Partial<Said> = {}): Said => ({
      ...good({ ...basis, now: local.clock.now(), in_response_to, name_id: `anna@${domain}` }),
      ...change,
    }),
    /** A good response, but for what a test says. */
    answer: (said: Said) =>
      encoded(
        response(signedAssertion(said, { key }), { destination: sp.acs_url, in_response_to: said.in_response_to }),
      ),
  }
}

export type SamlTenant = Awaited<ReturnType<typeof samlTenant>>
