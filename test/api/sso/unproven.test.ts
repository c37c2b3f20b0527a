// An account that a directory, or an administrator, made for a person, and used before the person came through the provider.
import { beforeAll, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { users } from '../../../shared/identity/accounts/user.ts'
import { caller } from '../../support/call.ts'
import { PASSWORD } from '../../support/local-stack.ts'
import { logIn, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { post, redeem, type SamlTenant, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
let acme: SamlTenant
beforeAll(async () => {
  acme = await samlTenant(local)
})

async function throughProvider(name_id: string) {
  const { id, cookie } = await acme.begin()
  const { code } = await post(local, acme.answer(acme.said(id, { name_id })), cookie)
  return signedIn(local, await redeem(local, code))
}

const stored = (id: string) => {
  const { tenant_id } = acme.tenant
  return systemContext({ tenant_id, mode: 'live' }).table.get(users, { tenant_id, id })
}

test('the first sign-in through the provider ends sessions and the password; later ones end nothing', async () => {
  const email = `squatted@${acme.domain}`
  const made = await caller(local, acme.tenant.live_key)(scim.createUser, {
    body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: email, password: PASSWORD },
    headers: { 'content-type': 'application/scim+json' },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { tenant_id } = acme.tenant
  const squatter = await signIn(local, { email, tenant_id })
  expect(await stored(squatter.user_id)).toMatchObject({ email_verified: true, verified_by: 'directory' })

  const person = await throughProvider(email)

  expect(person.user_id).toBe(squatter.user_id)
  expect((await squatter.call(auth.me)).status).toBe(401)
  expect((await logIn(local, { email, tenant_id })).status).toBe(401)
  expect((await person.call(auth.me)).body).toMatchObject({ email_verified: true, proof_due: null })
  expect(await stored(squatter.user_id)).toMatchObject({ verified_by: 'provider' })

  const again = await throughProvider(email)
  expect((await person.call(auth.me)).status).toBe(200)
  expect((await again.call(auth.me)).status).toBe(200)
})
