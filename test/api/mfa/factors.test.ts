import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { App, enrolPasskey, enrolTotp, newEmulator } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsIn } from '../../support/mails.ts'
import { logIn, ownerInPerson, type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let anna: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  anna = await signIn(local, acme.owner)
})

const MINUTE = 60_000
const wait = (ms: number) => local.clock.moveTo(local.clock.now() + ms)
const factorsOf = async ({ call }: SignedIn = anna) => (await call(mfa.get)).body.factors
const setPolicy = (body: object) => anna.call(mfa.changePolicy, { params: { tenant_id: acme.tenant_id }, body })
const artifactTypes = async () => {
  const { body } = await acme.call(evidence.latest, { query: { limit: 50 } })
  return (body.items as { type: string }[]).map(({ type }) => type)
}
const stale = {
  status: 403,
  body: { detail: 'You signed in too long ago for this. Sign in again and repeat the request within ten minutes.' },
}

describe('GET /api/v1/auth/mfa', () => {
  test('200: shows what the tenant wants and what there is', async () => {
    expect(await anna.call(mfa.get)).toMatchObject({
      status: 200,
      body: {
        policy: { enforcement: 'optional', grace_days: 7, allowed_methods: ['totp', 'webauthn'], step_up_minutes: 0 },
        factors: [],
        recovery_codes_left: 0,
      },
    })
  })

  test('403: is for people, not for keys', async () => {
    expect((await acme.call(mfa.get)).status).toBe(403)
  })
})

describe('an authenticator app', () => {
  test('is added by its secret and a code of it', async () => {
    const begun = await anna.call(mfa.beginTotp, { body: { name: 'Phone' } })
    expect(begun).toMatchObject({
      status: 201,
      body: { factor_id: expect.stringMatching(/^mfa_/), secret: expect.stringMatching(/^[A-Z2-7]{32}$/) },
    })
    expect(begun.body.otpauth_uri).toContain(`secret=${begun.body.secret}&issuer=Countersign`)
    expect(await factorsOf()).toEqual([])

    const { factor_id, secret } = begun.body
    const code = new App(secret, local.clock).code()
    const confirmed = await anna.call(mfa.confirmTotp, { body: { factor_id, code } })

    expect(confirmed).toMatchObject({ status: 200, body: { id: factor_id, type: 'totp', name: 'Phone' } })
    expect(confirmed.body).not.toHaveProperty('secret')
    expect(await factorsOf()).toMatchObject([{ id: factor_id }])
    expect((await anna.call(auth.me)).body.mfa).toMatchObject({ enrolled: true })
    expect(await artifactTypes()).toContain('identity.mfa.enabled')
  })

  test('is not added by a wrong code, nor later than a quarter of an hour', async () => {
    const { body } = await anna.call(mfa.beginTotp, { body: {} })
    const app = new App(body.secret, local.clock)
    const confirm = (code: string) => anna.call(mfa.confirmTotp, { body: { factor_id: body.factor_id, code } })

    expect(await confirm(app.wrongCode())).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'code'] }] } })
    wait(15 * MINUTE)
    anna = await signIn(local, acme.owner)
    expect((await confirm(app.code())).status).toBe(404)
  })

  test('that is begun again replaces the one that was not confirmed', async () => {
    const { body: first } = await anna.call(mfa.beginTotp, { body: {} })
    await enrolTotp(local, anna)
    const code = new App(first.secret, local.clock).code()

    expect((await anna.call(mfa.confirmTotp, { body: { factor_id: first.factor_id, code } })).status).toBe(404)
  })

  test('says its secret again to the same request, and to no other', async () => {
    const headers = { 'idempotency-key': 'one' }
    const first = await anna.call(mfa.beginTotp, { body: {}, headers })
    const again = await anna.call(mfa.beginTotp, { body: {}, headers })

    expect(again.body.secret).toBe(first.body.secret)
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  test('says its secret to no other person who sends the same request', async () => {
    const ben = await signIn(local, acme.approver)
    const same = { body: {}, headers: { 'idempotency-key': 'one' } }
    const hers = await anna.call(mfa.beginTotp, same)
    const his = await ben.call(mfa.beginTotp, same)

    expect(his.status).toBe(201)
    expect(his.headers).not.toHaveProperty('idempotent-replayed')
    expect(his.body.secret).not.toBe(hers.body.secret)
  })

  test('of one person is not another’s', async () => {
    const { body } = await anna.call(mfa.beginTotp, { body: {} })
    const { call } = await signIn(local, acme.approver)
    const code = new App(body.secret, local.clock).code()

    expect((await call(mfa.confirmTotp, { body: { factor_id: body.factor_id, code } })).status).toBe(404)
    const { factor_id } = await enrolTotp(local, anna)
    expect((await call(mfa.removeFactor, { params: { factor_id } })).status).toBe(404)
  })

  test('needs a fresh sign-in, or a factor shown lately', async () => {
    wait(10 * MINUTE)

    expect(await anna.call(mfa.beginTotp, { body: {} })).toMatchObject(stale)
    expect(await anna.call(mfa.passkeyOptions, { body: { purpose: 'register' } })).toMatchObject(stale)
    expect(await anna.call(mfa.createRecoveryCodes, { body: {} })).toMatchObject(stale)
    expect(await anna.call(mfa.removeFactor, { params: { factor_id: 'mfa_1' } })).toMatchObject(stale)
  })

  test('of a kind that the tenant does not want is refused', async () => {
    anna = await ownerInPerson(local, acme)
    expect((await setPolicy({ allowed_methods: ['webauthn'] })).status).toBe(200)

    expect((await anna.call(mfa.beginTotp, { body: {} })).status).toBe(403)
  })

  test('is one of ten factors at most', async () => {
    for (let i = 0; i < 10; i += 1) await enrolTotp(local, anna)

    expect(await anna.call(mfa.beginTotp, { body: {} })).toMatchObject({ status: 409 })
  })

  test('sends subscribers an event when it is the first, and the person a mail every time', async () => {
    await enrolTotp(local, anna)
    await enrolPasskey(anna, newEmulator(), local.appUrl)
    await local.drain()

    const { body } = await acme.call(events.list, { query: { types: 'user.mfa.enabled' } })
    expect(body.items.map(({ data }: { data: object }) => data)).toEqual([
      expect.objectContaining({ user_id: acme.owner.id, factor: 'totp' }),
    ])
    const texts = mailsIn(local.directory).filter(({ to }) => String(to) === acme.owner.email)
    expect(new Set(texts.map(({ text }) => /changed: (.*)\./.exec(text)?.[1]))).toEqual(
      new Set(['an authenticator app was added', 'a passkey or security key was added']),
    )
    expect(await factorsOf()).toMatchObject([{ type: 'totp' }, { type: 'webauthn' }])
  })
})

describe('DELETE /api/v1/auth/mfa/{factor_id}', () => {
  test('204: the factor is gone, and with the last one its recovery codes', async () => {
    const { factor_id } = await enrolTotp(local, anna)
    await anna.call(mfa.createRecoveryCodes, { body: {} })

    expect((await anna.call(mfa.removeFactor, { params: { factor_id } })).status).toBe(204)

    expect((await anna.call(mfa.get)).body).toMatchObject({ factors: [], recovery_codes_left: 0 })
    expect((await logIn(local, acme.owner)).body).toHaveProperty('access_token')
    expect((await anna.call(mfa.removeFactor, { params: { factor_id } })).status).toBe(404)
  })

  test('409: the last factor stays where one is required', async () => {
    const [{ factor_id }, second] = [await enrolTotp(local, anna), await enrolTotp(local, anna)]
    await setPolicy({ enforcement: 'required' })

    expect((await anna.call(mfa.removeFactor, { params: { factor_id } })).status).toBe(204)
    expect((await anna.call(mfa.removeFactor, { params: { factor_id: second.factor_id } })).status).toBe(409)
  })

  test('of two that are removed at once one stays where one is required', async () => {
    const ids = [await enrolTotp(local, anna), await enrolTotp(local, anna)].map(({ factor_id }) => factor_id)
    await setPolicy({ enforcement: 'required' })
    const replies = await Promise.all(ids.map((factor_id) => anna.call(mfa.removeFactor, { params: { factor_id } })))

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204, 409]))
    expect(await factorsOf()).toHaveLength(1)
  })
})
