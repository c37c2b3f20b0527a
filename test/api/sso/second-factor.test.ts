// What an identity provider says of a second factor, and what it is worth beside the factors that people have here.
import { beforeEach, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { enrolTotp } from '../../support/factors.ts'
import { ownerInPerson, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { configure, ownDomain, post, redeem, samlBody, type SamlTenant, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
let acme: SamlTenant
beforeEach(async () => {
  acme = await samlTenant(local)
  const { tenant, domain, key } = acme
  const theirs = await ownDomain(tenant, tenant.owner.email.split('@')[1])
  await configure(local, tenant, samlBody(domain, key, { domains: [domain, theirs] }))
})

/** As the owner, of whom the provider says that it has asked for two factors. */
async function throughProvider() {
  const { id, cookie } = await acme.begin()
  const said = acme.said(id, { name_id: acme.tenant.owner.email, context: 'https://refeds.org/profile/mfa' })
  return redeem(local, (await post(local, acme.answer(said), cookie)).code)
}
const setPolicy = async (body: object) => {
  const { call } = await ownerInPerson(local, acme.tenant)
  return call(mfa.changePolicy, { params: { tenant_id: acme.tenant.tenant_id }, body })
}

test('it replaces no factor that the account has here', async () => {
  const { app } = await enrolTotp(local, await signIn(local, acme.tenant.owner))
  const { status, body } = await throughProvider()

  expect({ status, body }).toMatchObject({
    status: 200,
    body: { mfa_required: true, methods: ['totp', 'recovery_code'] },
  })
  expect(body).not.toHaveProperty('access_token')
  const code = { mfa_token: body.mfa_token, method: 'totp', code: app.nextCode() }
  expect((await local.call(mfa.verify, { body: code })).body).toHaveProperty('access_token')
})

test('it does where an owner has said so, which is recorded', async () => {
  expect(await setPolicy({ idp_mfa_replaces_enrolled: true })).toMatchObject({
    status: 200,
    body: { idp_mfa_replaces_enrolled: true },
  })
  const latest = (await acme.tenant.call(evidence.latest, { query: { limit: 50 } })).body
  expect(JSON.stringify(latest)).toContain('identity.mfa_policy.updated')
  await enrolTotp(local, await signIn(local, acme.tenant.owner))

  const { call } = signedIn(local, await throughProvider())
  expect((await call(auth.me)).status).toBe(200)
})

test('403: who has no factor here comes in by it, and changes nothing of how others do', async () => {
  const { call } = signedIn(local, await throughProvider())
  const change = () => configure(local, acme.tenant, samlBody(acme.domain, acme.key), call)

  expect(await change()).toMatchObject({
    status: 403,
    body: { detail: expect.stringContaining('your account has none') },
  })
  await enrolTotp(local, { call })
  expect((await change()).status).toBe(200)
})

test('403: a sign-in that was asked for no factor neither adds one nor takes one away', async () => {
  await setPolicy({ enforcement: 'off' })
  const { factor_id } = await enrolTotp(local, await signIn(local, acme.tenant.owner))
  const { call } = await signIn(local, acme.tenant.owner)
  const refused = {
    status: 403,
    body: { detail: expect.stringContaining('second factor that you have shown recently') },
  }

  expect(await call(mfa.beginTotp, { body: {} })).toMatchObject(refused)
  expect(await call(mfa.createRecoveryCodes, { body: {} })).toMatchObject(refused)
  expect(await call(mfa.removeFactor, { params: { factor_id } })).toMatchObject(refused)
})
