import type { WebAuthnEmulator } from 'nid-webauthn-emulator'
import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
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
})

const wait = (ms: number) => local.clock.moveTo(local.clock.now() + ms)
const options = async (purpose: string) => (await anna.call(mfa.passkeyOptions, { body: { purpose } })).body
const add = (challenge_id: string, credential: object) =>
  anna.call(mfa.addPasskey, { body: { challenge_id, credential, name: 'Laptop' } })
const verify = (mfa_token: string, credential: object) =>
  local.call(mfa.verify, { body: { mfa_token, method: 'webauthn', credential } })

/** An authenticator that any hand can use. */
const unverified = () => ({ options: { uv: false, up: true } })

const refused = {
  status: 422,
  body: {
    detail: [
      {
        loc: ['body', 'credential'],
        msg: 'The credential does not answer the challenge. Ask for new options and try again.',
      },
    ],
  },
}
const badCode = { status: 401, body: { detail: 'Your second factor was not accepted. Check it and try again.' } }

describe('a passkey', () => {
  test('is asked for with verification of the person, for the host of the application', async () => {
    const { challenge_id, options: asked } = await options('register')

    expect(challenge_id).toMatch(/^cha_/)
    expect(asked).toMatchObject({
      rp: { id: new URL(local.appUrl).hostname, name: 'Countersign' },
      user: { name: acme.owner.email, displayName: 'Owner' },
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    })
    expect(Buffer.from(asked.challenge, 'base64url')).toHaveLength(32)
  })

  test('registers and signs in', async () => {
    const added = await enrolPasskey(anna, emulator, local.appUrl)
    expect(added).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^mfa_/), type: 'webauthn', name: 'Laptop' },
    })

    const { body } = await logIn(local, acme.owner)
    expect(body).toMatchObject({
      mfa_required: true,
      methods: ['webauthn', 'recovery_code'],
      webauthn: { options: { userVerification: 'required' } },
    })
    const { call } = signedIn(
      local,
      await verify(body.mfa_token, emulator.getJSON(local.appUrl, body.webauthn.options)),
    )

    expect((await call(auth.me)).body).toMatchObject({ mfa: { enrolled: true } })
    expect((await call(mfa.get)).body.factors).toMatchObject([{ type: 'webauthn', last_used_at: expect.any(String) }])
  })

  test('that is a factor already is excluded, and refused', async () => {
    await enrolPasskey(anna, emulator, local.appUrl)
    const { challenge_id, options: asked } = await options('register')
    expect(asked.excludeCredentials).toHaveLength(1)

    const twin = newEmulator({
      credentialsRepository: emulator.authenticator.params.credentialsRepository,
      stateless: false,
    })
    expect(() => twin.createJSON(local.appUrl, asked)).toThrow()
    expect((await add(challenge_id, {})).status).toBe(422)
  })
})

describe('a registration is refused', () => {
  test.each([
    ['of another origin', (asked: never) => emulator.createJSON(`${local.appUrl}0`, asked)],
    [
      'for another relying party',
      (asked: object) =>
        emulator.createJSON('https://evil.example', { ...asked, rp: { id: 'evil.example', name: 'x' } } as never),
    ],
    [
      'of another challenge',
      (asked: object) =>
        emulator.createJSON(local.appUrl, { ...asked, challenge: Buffer.alloc(32, 7).toString('base64url') } as never),
    ],
    [
      'without verification of the person',
      (asked: object) =>
        newEmulator({ userMakeCredentialInteraction: unverified }).createJSON(local.appUrl, {
          ...asked,
          authenticatorSelection: { userVerification: 'discouraged' },
        } as never),
    ],
    ['that is no credential', () => ({})],
    ['whose members are of other types', () => ({ id: 1, rawId: [], type: {}, response: 'x' })],
  ] as [string, (asked: never) => object][])('%s', async (_, make) => {
    const { challenge_id, options: asked } = await options('register')

    expect(await add(challenge_id, make(asked as never))).toMatchObject(refused)
    expect((await anna.call(mfa.get)).body.factors).toEqual([])
  })

  test('whose challenge was used, is too old, is for signing in, or is somebody else’s', async () => {
    const used = await options('register')
    await add(used.challenge_id, {})
    expect((await add(used.challenge_id, emulator.createJSON(local.appUrl, used.options))).status).toBe(422)

    const old = await options('register')
    wait(300_000)
    expect((await add(old.challenge_id, emulator.createJSON(local.appUrl, old.options))).status).toBe(422)

    const other = await signIn(local, acme.approver)
    const theirs = (await other.call(mfa.passkeyOptions, { body: { purpose: 'register' } })).body
    expect((await add(theirs.challenge_id, emulator.createJSON(local.appUrl, theirs.options))).status).toBe(422)
    await enrolPasskey(anna, emulator, local.appUrl)
    const { challenge_id } = await options('verify')
    expect((await add(challenge_id, {})).body.detail[0].loc).toEqual(['body', 'challenge_id'])
  })
})

describe('a sign-in is refused', () => {
  /** The answer of the emulator to what a sign-in asks. */
  async function answer(make: (asked: never) => object) {
    const { body } = await logIn(local, acme.owner)
    return verify(body.mfa_token, make(body.webauthn.options as never))
  }
  beforeEach(async () => {
    await enrolPasskey(anna, emulator, local.appUrl)
  })

  test.each([
    ['of another origin', (asked: never) => emulator.getJSON(`${local.appUrl}0`, asked)],
    [
      'of another challenge',
      (asked: object) =>
        emulator.getJSON(local.appUrl, { ...asked, challenge: Buffer.alloc(32, 7).toString('base64url') }),
    ],
    [
      'with another signature',
      (asked: never) => {
        const credential = emulator.getJSON(local.appUrl, asked)
        return { ...credential, response: { ...credential.response, signature: 'MEQCIAAA' } }
      },
    ],
    [
      'by a credential of nobody',
      (asked: never) => ({ ...emulator.getJSON(local.appUrl, asked), id: 'AAAA', rawId: 'AAAA' }),
    ],
    ['that says nothing', () => ({})],
  ] as [string, (asked: never) => object][])('%s', async (_, make) => {
    expect(await answer(make)).toMatchObject(badCode)
  })

  test('without verification of the person', async () => {
    const params = { ...emulator.authenticator.params, userGetAssertionInteraction: unverified }
    const careless = newEmulator(params)

    expect(
      await answer((asked: object) =>
        careless.getJSON(local.appUrl, { ...asked, userVerification: 'discouraged' } as never),
      ),
    ).toMatchObject(badCode)
  })

  test('by a copy whose counter went back', async () => {
    const { body: first } = await logIn(local, acme.owner)
    const early = emulator.getJSON(local.appUrl, first.webauthn.options) // counted, but shown later
    const { body: second } = await logIn(local, acme.owner)
    const late = emulator.getJSON(local.appUrl, second.webauthn.options)

    expect((await verify(second.mfa_token, late)).status).toBe(200)
    expect(await verify(first.mfa_token, early)).toMatchObject(badCode)
  })

  test('by the same answer again', async () => {
    const { body } = await logIn(local, acme.owner)
    const credential = emulator.getJSON(local.appUrl, body.webauthn.options)
    await verify(body.mfa_token, { ...credential, id: 'AAAA' })

    expect(await verify(body.mfa_token, credential)).toMatchObject(badCode)
  })

  test('by the passkey of somebody else', async () => {
    const other = newEmulator()
    await enrolPasskey(await signIn(local, acme.approver), other, local.appUrl)
    const { body } = await logIn(local, acme.approver)
    const theirs = other.getJSON(local.appUrl, body.webauthn.options)

    expect(await answer(() => theirs)).toMatchObject(badCode)
  })
})
