import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { sso } from '../../../functions/sso/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { claims } from '../../../shared/identity/domains/domain.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { ssoConfigurations } from '../../../shared/identity/sso/settings/configuration.ts'
import { plant, steal, tamper } from '../../support/insider.ts'
import { ownerInPerson, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { encoded, response, signedAssertion } from './forged.ts'
import { CALLBACK, configure, ownDomain, post, redeem, samlBody, type SamlTenant, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
let acme: SamlTenant
beforeAll(async () => {
  acme = await samlTenant(local)
})

/** The whole way, as the person that the provider names. */
async function signInAs(name_id: string, change: Parameters<SamlTenant['said']>[1] = {}, at = acme) {
  const { id, cookie } = await at.begin()
  return post(local, at.answer(at.said(id, { name_id, ...change })), cookie)
}

const session = async (name_id: string, change = {}, at = acme) =>
  signedIn(local, await redeem(local, (await signInAs(name_id, change, at)).code))

const me = async (name_id: string, change = {}, at = acme) => {
  const { call } = await session(name_id, change, at)
  return (await call(auth.me)).body
}

describe('GET /auth/sso/start', () => {
  test('302: a signed request goes to the provider, and a cookie stays', async () => {
    const { location, request, cookie } = await acme.begin()

    expect(`${location.origin}${location.pathname}`).toBe('https://idp.example/sso')
    expect(location.searchParams.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
    expect(location.searchParams.has('RelayState')).toBe(false)
    expect(request).toContain(`<saml:Issuer>${acme.sp.entity_id}</saml:Issuer>`)
    expect(cookie).toMatch(/^sso=[\w-]{43}$/)
  })

  test('302: the domain of an address names the tenant', async () => {
    const { status } = await local.call(sso.start, { query: { email: `Anna@${acme.domain.toUpperCase()}` } })

    expect(status).toBe(302)
  })

  test('a person signs in whose address has its host in its own script, in either form', async () => {
    const email = 'anna@köln.example'
    const koeln = await samlTenant(local)
    await ownDomain(koeln.tenant, 'xn--kln-sna.example')
    const configured = await configure(local, koeln.tenant, samlBody('xn--kln-sna.example', koeln.key, {}, {}))
    expect(configured.status, JSON.stringify(configured.body)).toBe(200)

    const first = await me(email, {}, koeln)
    expect(first).toMatchObject({ email })
    expect(await me('anna@XN--kln-sna.example', {}, koeln)).toMatchObject({ id: first.id, email })
  })

  test('302: two tabs of a browser do not end each other’s sign-in', async () => {
    const first = await acme.begin()
    const second = await local.call(sso.start, {
      query: { tenant: acme.tenant.tenant_id },
      headers: { cookie: `other=1; ${first.cookie}` },
    })

    expect(second.headers['set-cookie']).toContain(first.cookie)
    expect((await post(local, acme.answer(acme.said(first.id)), first.cookie)).status).toBe(302)
  })

  test('404: a domain or a tenant without single sign-on', async () => {
    expect((await local.call(sso.start, { query: { email: 'anna@elsewhere.example' } })).status).toBe(404)
    expect((await local.call(sso.start, { query: { tenant: 'ten_missing' } })).status).toBe(404)
    expect((await local.call(sso.start)).status).toBe(404)
  })

  test('404: a domain of the tenant whose people do not sign in there', async () => {
    const { tenant } = await samlTenant(local)
    const elsewhere = await ownDomain(tenant)

    expect((await local.call(sso.start, { query: { email: `anna@${elsewhere}` } })).status).toBe(404)
  })

  test('403: an address to return to that is not registered', async () => {
    const query = { tenant: acme.tenant.tenant_id, redirect_uri: `${CALLBACK}/other` }

    expect((await local.call(sso.start, { query })).status).toBe(403)
  })
})

describe('POST /auth/sso/callback', () => {
  test('302: a new person gets an account, a code, and for the code a session', async () => {
    const email = `new@${acme.domain}`
    const { id, cookie } = await acme.begin({ state: 'a b' })
    const answered = await post(local, acme.answer(acme.said(id, { name_id: email })), cookie)

    expect(answered.status).toBe(302)
    expect(`${answered.location?.origin}${answered.location?.pathname}`).toBe(CALLBACK)
    expect(answered.location?.searchParams.get('state')).toBe('a b')
    const { call } = signedIn(local, await redeem(local, answered.code))
    expect((await call(auth.me)).body).toMatchObject({
      email,
      email_verified: true,
      name: 'Anna Example',
      roles: ['member'],
      session: { amr: ['sso'] },
    })
  })

  test('302: the name follows the provider, and the account stays the same', async () => {
    const email = `renamed@${acme.domain}`
    const first = await me(email)
    const second = await me(email.toUpperCase().replace(acme.domain.toUpperCase(), acme.domain), {
      attributes: { givenName: 'Anna', sn: 'Newname' },
    })

    expect(second).toMatchObject({ id: first.id, name: 'Anna Newname' })
  })

  test('302: an invitation is accepted by signing in', async () => {
    const { call } = await signIn(local, acme.tenant.owner)
    const email = `invited@${acme.domain}`
    const invited = await call(users.invite, { body: { email, roles: ['auditor'] } })

    expect(await me(email)).toMatchObject({ id: invited.body.id, roles: ['auditor'], email_verified: true })
  })

  test('302: where the provider may begin, the code goes to the first address', async () => {
    const open = await samlTenant(local, {}, { allow_idp_initiated: true })
    const answered = await post(local, open.answer(open.said(undefined)))

    expect(`${answered.location?.origin}${answered.location?.pathname}`).toBe(CALLBACK)
  })

  test('302: inside an authorisation the code goes back there, and is good for it alone', async () => {
    const { id, cookie } = await acme.begin({ interaction: 'uid-1' })
    const answered = await post(local, acme.answer(acme.said(id)), cookie)

    expect(answered.location?.pathname).toBe('/oauth/interaction/uid-1')
    expect((await redeem(local, answered.code)).status).toBe(401)
  })

  test('the session ends when the provider says so, and a second factor shown there counts', async () => {
    const end = iso(local.clock.now() + 3_600_000)
    const { session: shown } = await me(`capped@${acme.domain}`, {
      session_end: end.replace(/\.\d+Z$/, 'Z'),
      context: 'https://refeds.org/profile/mfa',
    })

    expect(Date.parse(shown.expires_at)).toBeLessThanOrEqual(Date.parse(end))
    expect(shown.amr).toEqual(['sso', 'mfa'])
  })

  test('403: no account where none is made on the way, nor while the domain has lapsed', async () => {
    const shut = await samlTenant(local, { jit: false })
    expect((await signInAs(`new@${shut.domain}`, {}, shut)).status).toBe(403)

    const lapsing = await samlTenant(local)
    const known = `known@${lapsing.domain}`
    await me(known, {}, lapsing)
    const claim = await openTable().get(claims, { domain: lapsing.domain })
    if (claim) await openTable().commit([claims.replace({ ...claim, status: 'lapsed' }, claim)])
    expect((await signInAs(`new@${lapsing.domain}`, {}, lapsing)).status).toBe(403)
    expect((await signInAs(known, {}, lapsing)).status).toBe(302)
  })

  test('403: an account that is suspended, before anything is minted', async () => {
    const email = `suspended@${acme.domain}`
    const { id } = await me(email)
    const { call } = await signIn(local, acme.tenant.owner)
    await call(users.update, { params: { id }, body: { status: 'suspended' } })

    expect((await signInAs(email)).status).toBe(403)
  })

  test('403: an address whose account was deleted, until somebody invites it again', async () => {
    const email = `deleted@${acme.domain}`
    const { id } = await me(email)
    const { call } = await signIn(local, acme.tenant.owner)
    await call(users.delete, { params: { id } })
    const gone = await signInAs(email)
    await call(users.invite, { body: { email, roles: ['member'] } })

    expect([gone.status, (await signInAs(email)).status]).toEqual([403, 302])
  })

  test('403: a configuration that was switched off meanwhile', async () => {
    const leaving = await samlTenant(local)
    const { id, cookie } = await leaving.begin()
    await configure(local, leaving.tenant, samlBody(leaving.domain, leaving.key, { enabled: false }))

    expect((await post(local, leaving.answer(leaving.said(id)), cookie)).status).toBe(403)
  })
})

describe('POST /api/v1/auth/sso/token', () => {
  test('401: a code works once, and for a minute', async () => {
    const { code } = await signInAs(`once@${acme.domain}`)
    const both = await Promise.all([redeem(local, code), redeem(local, code)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])

    const late = await signInAs(`once@${acme.domain}`)
    local.clock.moveTo(local.clock.now() + 60_000)
    expect(await redeem(local, late.code)).toMatchObject({
      status: 401,
      body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
    })
    expect((await redeem(local, 'unknown')).status).toBe(401)
  })

  test('a code that began with a challenge needs its verifier', async () => {
    const code_verifier = 'v'.repeat(43)
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const begun = async () => {
      const { id, cookie } = await acme.begin({ code_challenge, code_challenge_method: 'S256' })
      return (await post(local, acme.answer(acme.said(id)), cookie)).code
    }

    expect((await redeem(local, await begun())).status).toBe(401)
    expect((await redeem(local, await begun(), { code_verifier: 'w'.repeat(43) })).status).toBe(401)
    expect((await redeem(local, await begun(), { code_verifier })).status).toBe(200)
  })

  test('200: a second factor is due where the tenant asks for one and the provider has not', async () => {
    const strict = await samlTenant(local)
    const { call } = await ownerInPerson(local, strict.tenant)
    const params = { tenant_id: strict.tenant.tenant_id }
    await call(mfa.changePolicy, { params, body: { enforcement: 'required', grace_days: 0 } })

    const email = `strict@${strict.domain}`
    const { body } = await redeem(local, (await signInAs(email, {}, strict)).code)
    expect(body.mfa_enrollment_required).toBe(true)
    const trusted = await signInAs(email, { context: 'https://refeds.org/profile/mfa' }, strict)
    expect((await redeem(local, trusted.code)).body.mfa_enrollment_required).toBeUndefined()
  })
})

test('a certificate that somebody wrote into the table admits nobody, nor does a domain', async () => {
  const at = await samlTenant(local)
  const { key: theirs } = acme
  const answered = async () => {
    const { id: in_response_to, cookie } = await at.begin()
    const said = signedAssertion(at.said(in_response_to), { key: theirs })
    return post(local, encoded(response(said, { destination: at.sp.acs_url, in_response_to })), cookie)
  }
  const { status: refused } = await answered()
  expect(refused).toBe(401)
  const row = ssoConfigurations.key(at.tenant)
  const genuine = await steal(row)
  await tamper(row, { saml: { ...Object(genuine.saml), certificates: [theirs.certificate] } })
  await expect(answered()).rejects.toThrow('404')
  await plant(genuine)
  expect((await signInAs(`anna@${at.domain}`, {}, at)).code).not.toBe('')
  await tamper(claims.key(at), { tenant_id: at.tenant.tenant_id, verified_at: iso(0) })
  expect((await signInAs(`ben@${at.domain}`, {}, at)).code).toBe('')
})
