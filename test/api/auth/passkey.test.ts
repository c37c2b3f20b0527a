import type { WebAuthnEmulator } from 'nid-webauthn-emulator'
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { enrolPasskey, newEmulator } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { logIn, type SignedIn, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let anna: SignedIn
let emulator: WebAuthnEmulator
beforeEach(async () => {
  acme = await local.tenant()
  anna = await signIn(local, acme.owner)
  emulator = newEmulator()
  await enrolPasskey(anna, emulator, local.appUrl)
})

const options = async () => (await local.call(auth.passkeyOptions, { body: {} })).body.options
const answer = async (by = emulator, origin = local.appUrl) => by.getJSON(origin, await options())
const send = (credential: object) => local.call(auth.signInWithPasskey, { body: { credential } })

const notAccepted = {
  status: 401,
  body: { detail: 'Your passkey was not accepted. Try again, or sign in another way.' },
}

describe('POST /api/v1/auth/passkey', () => {
  test('200: signs in without an address, and counts as two factors', async () => {
    expect(await options()).toMatchObject({ allowCredentials: [], userVerification: 'required' })
    const reply = await send(await answer())

    expect(reply, JSON.stringify(reply.body)).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', user: { id: anna.user_id, tenant_id: acme.tenant_id } },
    })
    const { call } = signedIn(local, reply)
    expect((await call(auth.me)).body.session.amr).toEqual(expect.arrayContaining(['user', 'mfa']))
    const policy = { params: { tenant_id: acme.tenant_id }, body: { enforcement: 'required' } }
    expect((await call(mfa.changePolicy, policy)).status).toBe(200)
  })

  test('401: an answer works once, for five minutes, and for a challenge of ours alone', async () => {
    const once = await answer()
    const both = await Promise.all([send(once), send(once)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    expect(await send(once)).toMatchObject(notAccepted)

    const late = await answer()
    local.clock.moveTo(local.clock.now() + 300_000)
    expect(await send(late)).toMatchObject(notAccepted)

    const challenge = Buffer.alloc(54, 1).toString('base64url')
    expect(await send(emulator.getJSON(local.appUrl, { ...(await options()), challenge }))).toMatchObject(notAccepted)
  })

  test('401: for another page, for a person who was not verified, and for what is no passkey', async () => {
    const unverified = () => ({ options: { uv: false, up: true } })
    const careless = newEmulator({ userGetAssertionInteraction: unverified })
    expect(await send(await answer(emulator, 'https://localhost.evil.example').catch(() => ({})))).toMatchObject(
      notAccepted,
    )
    expect(await send({ ...(await answer()), id: 'other' })).toMatchObject(notAccepted)
    expect(await send(await answer(careless))).toMatchObject(notAccepted)
    for (const credential of [{}, { id: 1 }, { id: 'x', response: { clientDataJSON: '%', userHandle: '#' } }]) {
      expect(await send(credential)).toMatchObject(notAccepted)
    }
  })

  test('401: a passkey that was removed, or whose person was suspended', async () => {
    const [{ id }] = (await anna.call(mfa.get)).body.factors
    const given = await answer()
    await anna.call(mfa.removeFactor, { params: { factor_id: id } })
    expect(await send(given)).toMatchObject(notAccepted)

    const ben = await signIn(local, acme.approver)
    await enrolPasskey(ben, emulator, local.appUrl)
    const of = { params: { id: ben.user_id }, body: { status: 'suspended' } }
    expect((await anna.call(users.update, of)).status).toBe(200)
    expect(await send(await answer())).toMatchObject(notAccepted)
  })

  test('403: where the tenant takes it as a second factor only', async () => {
    const policy = { params: { tenant_id: acme.tenant_id }, body: { passkey_sign_in: false } }
    expect((await anna.call(mfa.changePolicy, policy)).status).toBe(200)

    expect((await send(await answer())).status).toBe(403)
    expect((await logIn(local, acme.owner)).body).toMatchObject({ mfa_required: true })
  })

  test('is not stopped by wrong passwords of others', async () => {
    for (let i = 0; i < 11; i += 1) {
      await local.call(auth.login, { body: { email: acme.owner.email, password: 'wrong' } })
      local.clock.moveTo(local.clock.now() + 20_000)
    }

    expect((await send(await answer())).status).toBe(200)
  })
})
