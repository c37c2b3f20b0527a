// A sign-in through the provider of a verified domain says who a person is: whoever invited them no longer stands behind them.
import { beforeEach, expect, test } from 'vitest'
import { users } from '../../../functions/users/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { claims } from '../../../shared/identity/domains/domain.ts'
import { bodyOf } from '../../support/governed.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { post, type SamlTenant, samlTenant } from './saml-idp.ts'

const local = useLocalStack()
let acme: SamlTenant
let owner: SignedIn
let email: string
let id: string
beforeEach(async () => {
  acme = await samlTenant(local)
  owner = await ownerInPerson(local, acme.tenant)
  email = `grace@${acme.domain}`
  id = bodyOf(await owner.call(users.invite, { body: { email, roles: ['approver'] } }), 201).id
})

const account = async () => bodyOf(await owner.call(users.get, { params: { id } }), 200)
async function signInThere(): Promise<number> {
  const begun = await acme.begin()
  return (await post(local, acme.answer(acme.said(begun.id, { name_id: email })), begun.cookie)).status
}

test('the first one, and one after another raise', async () => {
  expect(await account()).toMatchObject({ raised: [{ by: acme.tenant.owner.id }], confirmed_at: null })
  expect(await signInThere()).toBe(302)
  expect(await account()).toMatchObject({ status: 'active', raised: [], confirmed_at: expect.any(String) })

  for (const status of ['suspended', 'active']) {
    bodyOf(await owner.call(users.update, { params: { id }, body: { status } }), 200)
  }
  expect((await account()).raised).toHaveLength(1)
  expect(await signInThere()).toBe(302)
  expect((await account()).raised).toEqual([])
})

test('but none while the domain has lapsed', async () => {
  const claim = await openTable().get(claims, { domain: acme.domain })
  if (claim) await openTable().commit([claims.replace({ ...claim, status: 'lapsed' }, claim)])

  expect(await signInThere()).toBe(302)
  expect(await account()).toMatchObject({ status: 'active', raised: [{ by: acme.tenant.owner.id }] })
})
