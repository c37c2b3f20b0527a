// Two independent implementations of identity providers, as they come: what they say is accepted, and they accept what we
// say.
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { signedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { EMAIL, IDP } from './forged.ts'
import { type Begun, configure, post, redeem, type SamlTenant, samlTenant } from './saml-idp.ts'

const load = createRequire(import.meta.url)

const local = useLocalStack()
let acme: SamlTenant
beforeAll(async () => {
  acme = await samlTenant(local)
})

const mustBeSignedIn = async (begun: Begun, SAMLResponse: string, email: string) => {
  const answered = await post(local, SAMLResponse, begun.cookie)
  expect(answered.text).toBe('')
  const { call } = signedIn(local, await redeem(local, answered.code))
  expect((await call(auth.me)).body).toMatchObject({ email })
}

describe('samlp', () => {
  type Options = Record<string, unknown>
  type Handler = (request: object, response: object, next: (error: Error) => void) => void
  const { auth: samlp }: { auth: (options: Options) => Handler } = load('samlp')

  /** Answers the request in the browser's address. */
  const answer = (begun: Begun, email: string, options: Options): Promise<string> =>
    new Promise((resolve, reject) => {
      const user = { id: email, emails: [{ value: email }], displayName: 'Sam L. Peters', name: { givenName: 'Sam' } }
      const handle = samlp({
        issuer: IDP,
        cert: acme.key.certificate,
        key: acme.key.private_key,
        recipient: acme.sp.acs_url,
        destination: acme.sp.acs_url,
        lifetimeInSeconds: 300,
        sessionIndex: '_samlp-session',
        nameIdentifierFormat: EMAIL,
        getUserFromRequest: () => user,
        getPostURL: (_: string, __: object, ___: object, done: (error: null, url: string) => void) =>
          done(null, acme.sp.acs_url),
        responseHandler: (response: Buffer) => resolve(response.toString('base64')),
        ...options,
      })
      const { searchParams } = begun.location
      handle({ method: 'GET', query: Object.fromEntries(searchParams), get: () => 'idp.example' }, {}, reject)
    })

  test.each([
    ['assertion', {}],
    ['assertion and response', { signResponse: true }],
  ])('its response with signed %s is accepted', async (_, options) => {
    const begun = await acme.begin()
    const email = `samlp@${acme.domain}`

    await mustBeSignedIn(begun, await answer(begun, email, options), email)
  })

  test('a response that it signs alone is refused', async () => {
    const begun = await acme.begin()
    const response = await answer(begun, `samlp@${acme.domain}`, { signAssertion: false, signResponse: true })

    expect((await post(local, response, begun.cookie)).status).toBe(401)
  })
})

describe('samlify', () => {
  type Parsed = { extract: { request: { id: string }; issuer: string } }
  type Idp = {
    getMetadata: () => string
    parseLoginRequest: (sp: object, binding: string, request: object) => Promise<Parsed>
    createLoginResponse: (
      sp: object,
      request: Parsed,
      binding: string,
      user: object,
      options: object,
    ) => Promise<{ context: string }>
  }
  type Samlify = {
    IdentityProvider: (settings: object) => Idp
    ServiceProvider: (settings: object) => object
    SamlLib: { defaultLoginResponseTemplate: { context: string } }
    setSchemaValidator: (validator: object) => void
  }
  const samlify: Samlify = load('samlify')
  samlify.setSchemaValidator({ validate: async () => 'skipped' })

  const location = 'https://idp.example/sso'
  const service = (Binding: string) => ({
    Binding: `urn:oasis:names:tc:SAML:2.0:bindings:${Binding}`,
    Location: location,
    isDefault: true,
  })
  const idp = () =>
    samlify.IdentityProvider({
      entityID: IDP,
      signingCert: acme.key.certificate,
      privateKey: acme.key.private_key,
      wantAuthnRequestsSigned: true,
      requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      nameIDFormat: [EMAIL],
      singleSignOnService: [service('HTTP-Redirect'), service('HTTP-POST')],
      singleLogoutService: [service('HTTP-Redirect')],
    })
  const sp = async (settings: object = {}) => {
    const { body: metadata } = await local.call(sso.metadata, { params: { tenant: acme.tenant.tenant_id } })
    return samlify.ServiceProvider({ metadata, ...settings })
  }

  /** The query as it was sent, of which the signature was made. */
  const octets = ({ location: { search } }: Begun) => search.slice(1).replace(/&Signature=.*$/, '')

  async function answer(begun: Begun, email: string, settings: object = {}): Promise<string> {
    const [provider, relying] = [idp(), await sp(settings)]
    const query = Object.fromEntries(begun.location.searchParams)
    const requestInfo = await provider.parseLoginRequest(relying, 'redirect', { query, octetString: octets(begun) })
    const said = acme.said(requestInfo.extract.request.id, { issuer: IDP, name_id: email })
    const statement = `<saml:AuthnStatement AuthnInstant="${said.issued}" SessionIndex="_samlify"><saml:AuthnContext><saml:AuthnContextClassRef>${said.context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`
    const values: Record<string, string> = {
      ID: `_response-${said.id}`,
      AssertionID: said.id,
      Destination: said.recipient,
      Audience: said.audience,
      SubjectRecipient: said.recipient,
      AssertionConsumerServiceURL: said.recipient,
      Issuer: IDP,
      IssueInstant: said.issued,
      StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
      ConditionsNotBefore: said.not_before,
      ConditionsNotOnOrAfter: said.not_on_or_after,
      SubjectConfirmationDataNotOnOrAfter: said.confirmed_until,
      NameIDFormat: EMAIL,
      NameID: email,
      InResponseTo: said.in_response_to ?? '',
      AuthnStatement: statement,
      AttributeStatement: '',
    }
    const { context } = await provider.createLoginResponse(
      relying,
      requestInfo,
      'post',
      { email },
      {
        customTagReplacement: (template: string) => ({
          id: values.ID,
          context: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''),
        }),
      },
    )
    return context
  }

  test('it loads our metadata and verifies our signed request', async () => {
    const begun = await acme.begin()
    const query = Object.fromEntries(begun.location.searchParams)
    const relying = await sp()

    const { extract } = await idp().parseLoginRequest(relying, 'redirect', { query, octetString: octets(begun) })
    expect(extract).toMatchObject({ issuer: acme.sp.entity_id, request: { id: begun.id } })
    const tampered = { query, octetString: `${octets(begun)}x` }
    await expect(idp().parseLoginRequest(relying, 'redirect', tampered)).rejects.toThrow()
  })

  test.each([
    ['assertion', {}],
    ['assertion and response', { wantMessageSigned: true }],
  ])('its response with signed %s is accepted', async (_, settings) => {
    const begun = await acme.begin()
    const email = `samlify@${acme.domain}`

    await mustBeSignedIn(begun, await answer(begun, email, settings), email)
  })

  test('its metadata configures a tenant', async () => {
    const { tenant, domain } = await samlTenant(local)
    const metadata_xml = idp().getMetadata()
    const reply = await configure(local, tenant, { protocol: 'saml', domains: [domain], saml: { metadata_xml } })

    expect(reply).toMatchObject({
      status: 200,
      body: { saml: { idp_entity_id: IDP, sso_url: location, slo_url: location, certificates: [expect.any(Object)] } },
    })
  })
})
