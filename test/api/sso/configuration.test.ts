import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { claims } from '../../../shared/identity/domains/domain.ts'
import { ssoConfigurations } from '../../../shared/identity/sso/settings/configuration.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { IDP, type Key, newKey } from './forged.ts'
import { CALLBACK, configure, idpMetadata, ownDomain, post, samlBody, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
let acme: TestTenant
let domain: string
let key: Key
beforeAll(async () => {
  key = await newKey()
})
beforeEach(async () => {
  acme = await local.tenant({ plan: 'business' })
  domain = await ownDomain(acme)
})

const params = () => ({ tenant_id: acme.tenant_id })
const get = () => acme.call(sso.get, { params: params() })

describe('POST /api/v1/tenants/{tenant_id}/sso', () => {
  test('200: the configuration without secrets, and what the provider must know of us', async () => {
    const { status, body } = await configure(local, acme, samlBody(domain, key))

    expect(status).toBe(200)
    const entity = `${local.apiUrl.replace('127.0.0.1', 'localhost')}/auth/sso/saml/metadata/${acme.tenant_id}`
    expect(body).toMatchObject({
      protocol: 'saml',
      enabled: true,
      enforce: false,
      jit: true,
      domains: [domain],
      default_roles: ['member'],
      login_redirect_uris: [CALLBACK],
      saml: { idp_entity_id: IDP, certificates: [{ fingerprint: expect.stringMatching(/^[\dA-F:]{95}$/) }] },
      sp: { name_id_format: expect.stringContaining('emailAddress'), oidc_scopes: 'openid email profile' },
    })
    expect(new URL(body.sp.entity_id).pathname).toBe(new URL(entity).pathname)
    expect(JSON.stringify(body)).not.toMatch(/private|PRIVATE|-----/)
    expect((await get()).body).toEqual(body)
    const stored = await openTable().get(ssoConfigurations, params())
    expect(stored?.sp.private_key).not.toContain('PRIVATE')
  })

  test('200: key and certificate of our side stay when the configuration changes', async () => {
    await configure(local, acme, samlBody(domain, key))
    const metadata = async () => (await local.call(sso.metadata, { params: { tenant: acme.tenant_id } })).body
    const before = await metadata()
    await configure(local, acme, samlBody(domain, key, { enforce: true }))

    expect(await metadata()).toBe(before)
    expect(before).toContain(`entityID="${(await get()).body.sp.entity_id}"`)
  })

  test('200: a change leaves evidence that names no secret', async () => {
    await configure(local, acme, samlBody(domain, key))
    const { body } = await acme.call(evidence.latest)

    expect(JSON.stringify(body)).toContain('identity.sso.updated')
  })

  test.each<[string, (body: ReturnType<typeof samlBody>) => object]>([
    ['no settings of the protocol', ({ saml: _, ...body }) => body],
    ['settings of the other protocol', (body) => ({ ...body, oidc: { issuer: 'https://8.8.8.8', client_id: 'c' } })],
    ['a role that nobody has', (body) => ({ ...body, default_roles: ['nobody'] })],
    ['the role owner', (body) => ({ ...body, default_roles: ['owner'] })],
    ['no domain', (body) => ({ ...body, domains: [] })],
    ['an address to return to that is none', (body) => ({ ...body, login_redirect_uris: ['javascript:alert(1)'] })],
    ['an address to return to with a fragment', (body) => ({ ...body, login_redirect_uris: [`${CALLBACK}#x`] })],
    ['a certificate that is none', (body) => ({ ...body, saml: { ...body.saml, certificates: ['AAAA'] } })],
    [
      'four certificates',
      (body) => ({ ...body, saml: { ...body.saml, certificates: Array(4).fill(key.certificate) } }),
    ],
    ['an http address elsewhere', (body) => ({ ...body, saml: { ...body.saml, sso_url: 'http://idp.example/sso' } })],
    ['a sign-in address that is no web address', (body) => ({ ...body, saml: { ...body.saml, sso_url: 'ldap://x' } })],
    ['metadata that describes nobody', (body) => ({ ...body, saml: { metadata_xml: '<a/>' } })],
    ['a provider without a name', (body) => ({ ...body, saml: { ...body.saml, idp_entity_id: ' ' } })],
    ['metadata with a document type', (body) => ({ ...body, saml: { metadata_xml: '<!DOCTYPE a><a/>' } })],
    ['unknown members', (body) => ({ ...body, other: 1 })],
  ])('422: a configuration is refused with %s', async (_, change) => {
    expect((await configure(local, acme, change(samlBody(domain, key)))).status).toBe(422)
  })

  test('422: metadata without an entityID, with which nobody could sign in, says what is missing', async () => {
    const metadata = (attribute: string) => ({
      ...samlBody(domain, key),
      saml: { metadata_xml: idpMetadata(key, attribute) },
    })
    const named = await configure(local, acme, metadata(' entityID=" https://idp.example/metadata "'))
    expect(named.body.saml.idp_entity_id).toBe('https://idp.example/metadata')

    for (const attribute of ['', ' entityID=""', ' entityID=" "']) {
      expect(await configure(local, acme, metadata(attribute))).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'saml', 'metadata_xml'], msg: expect.stringContaining('entityID') }] },
      })
    }
  })

  test('200: a custom role that newcomers get cannot be deleted', async () => {
    const owner = await ownerInPerson(local, acme)
    await owner.call(roles.create, { body: { name: 'intern', permissions: ['policies:read'] } })
    const remove = () => owner.call(roles.delete, { params: { role: 'intern' } })

    const [configured, kept] = [
      await configure(local, acme, samlBody(domain, key, { default_roles: ['intern'] }), owner.call),
      await remove(),
    ]
    await configure(local, acme, samlBody(domain, key), owner.call)

    expect([configured.status, kept.status, (await remove()).status]).toEqual([200, 409, 204])
  })

  test('409: a domain that is not verified, is another tenant’s, or has lapsed', async () => {
    const other = await ownDomain(await local.tenant())
    expect((await configure(local, acme, samlBody('unverified.example', key))).status).toBe(409)
    expect((await configure(local, acme, samlBody(other, key))).status).toBe(409)

    const claim = await openTable().get(claims, { domain })
    if (claim) await openTable().commit([claims.replace({ ...claim, status: 'lapsed' }, claim)])
    expect((await configure(local, acme, samlBody(domain, key))).status).toBe(409)
  })

  test('403: smaller plans, approvers, and who has not shown a second factor where that is asked', async () => {
    const small = await local.tenant({ plan: 'team' })
    expect(await configure(local, small, samlBody(await ownDomain(small), key))).toMatchObject({
      status: 403,
      body: { code: 'plan_feature' },
    })

    const approver = await signIn(local, acme.approver)
    expect((await configure(local, acme, samlBody(domain, key), approver.call)).status).toBe(403)

    const owner = await ownerInPerson(local, acme)
    expect((await configure(local, acme, samlBody(domain, key), owner.call)).status).toBe(200)
    const policy = { enforcement: 'optional', step_up_minutes: 5 }
    expect((await owner.call(mfa.changePolicy, { params: params(), body: policy })).status).toBe(200)
    local.clock.moveTo(local.clock.now() + 300_000)
    expect((await configure(local, acme, samlBody(domain, key), owner.call)).status).toBe(403)
  })
})

describe('GET and DELETE /api/v1/tenants/{tenant_id}/sso', () => {
  test('200: before the first configuration there is what the provider must know', async () => {
    expect(await get()).toMatchObject({ status: 200, body: { protocol: null, enabled: false, sp: {} } })
    expect((await local.call(sso.metadata, { params: { tenant: acme.tenant_id } })).status).toBe(404)
    expect((await local.call(sso.start, { query: { tenant: acme.tenant_id } })).status).toBe(404)
  })

  test('409: a change or an end that is meant for another version', async () => {
    const first = await configure(local, acme, samlBody(domain, key))
    const { version } = first.body
    await configure(local, acme, { ...samlBody(domain, key), version })

    expect(await configure(local, acme, { ...samlBody(domain, key), version })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict' },
    })
    const headers = { 'if-match': first.headers.etag ?? '' }
    const owner = await ownerInPerson(local, acme)
    expect((await owner.call(sso.delete, { params: params(), headers })).status).toBe(409)
    expect((await get()).headers.etag).toBe(`"v${version + 1}"`)
  })

  test('204, then 404: nobody can begin any more', async () => {
    await configure(local, acme, samlBody(domain, key))

    const owner = await ownerInPerson(local, acme)
    expect((await owner.call(sso.delete, { params: params() })).status).toBe(204)
    expect((await owner.call(sso.delete, { params: params() })).status).toBe(404)
    expect((await local.call(sso.start, { query: { tenant: acme.tenant_id } })).status).toBe(404)
  })
})

describe('POST /api/v1/tenants/{tenant_id}/sso/test', () => {
  const runTest = (tenant: TestTenant) => tenant.call(sso.test, { params: { tenant_id: tenant.tenant_id }, body: {} })

  test('200: findings, and a link that ends in a report, also before the configuration is switched on', async () => {
    const saml = await samlTenant(local, { enabled: false })
    const { status, body } = await runTest(saml.tenant)

    expect(status).toBe(200)
    expect(body).toMatchObject({
      ok: true,
      findings: expect.arrayContaining([expect.objectContaining({ check: 'domain' })]),
    })
    const ticket = new URL(body.start_url).searchParams.get('test') ?? ''
    const { id, cookie } = await saml.begin({ test: ticket })
    const name_id = `<b>x</b>@${saml.domain}`.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const answered = await post(local, saml.answer(saml.said(id, { name_id })), cookie)

    expect(answered).toMatchObject({ status: 200, location: undefined })
    expect(answered.text).toContain('The test has succeeded')
    expect(answered.text).toContain('&lt;b&gt;x')
    expect((await local.call(sso.start, { query: { tenant: saml.tenant.tenant_id } })).status).toBe(404)
  })

  test('401: the link is good for ten minutes', async () => {
    const saml = await samlTenant(local)
    const { body } = await runTest(saml.tenant)
    local.clock.moveTo(local.clock.now() + 600_000)
    const ticket = new URL(body.start_url).searchParams.get('test') ?? ''

    expect((await local.call(sso.start, { query: { test: ticket } })).status).toBe(401)
  })

  test('404: nothing is configured', async () => {
    expect((await runTest(acme)).status).toBe(404)
  })
})
