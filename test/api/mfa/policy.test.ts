import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { bodyOf } from '../../support/any-route.ts'
import { type App, enrolPasskey, enrolTotp, newEmulator } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { logIn, ownerInPerson, type SignedIn, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let anna: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  anna = await ownerInPerson(local, acme)
})

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const wait = (ms: number) => local.clock.moveTo(local.clock.now() + ms)
const params = () => ({ tenant_id: acme.tenant_id })
const setPolicy = (body: object) => anna.call(mfa.changePolicy, { params: params(), body })

describe('the policy', () => {
  test('is replaced as a whole: what is left out is the default', async () => {
    expect(await setPolicy({ enforcement: 'required', grace_days: 0, step_up_minutes: 5 })).toMatchObject({
      status: 200,
      body: { enforcement: 'required', grace_days: 0, step_up_minutes: 5, since: expect.any(String) },
    })
    await enrolTotp(local, anna)

    expect((await setPolicy({})).body).toEqual({
      enforcement: 'optional',
      grace_days: 7,
      allowed_methods: ['totp', 'webauthn'],
      trust_idp_mfa: true,
      idp_mfa_replaces_enrolled: false,
      passkey_sign_in: true,
      step_up_minutes: 0,
      version: expect.any(Number),
    })
    expect((await anna.call(mfa.getPolicy, { params: params() })).body).toMatchObject({ enforcement: 'optional' })
  })

  test('is a part of the tenant, whose version a change may name', async () => {
    const { headers, body } = await anna.call(mfa.getPolicy, { params: params() })
    const put = (tag: string) =>
      anna.call(mfa.changePolicy, { params: params(), body: { grace_days: 3 }, headers: { 'if-match': tag } })

    expect(headers.etag).toBe(`"v${body.version}"`)
    expect(await put(`"v${body.version}"`)).toMatchObject({ status: 200, body: { version: body.version + 1 } })
    expect(await put(`"v${body.version}"`)).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  })

  test.each([
    { enforcement: 'sometimes' },
    { grace_days: 31 },
    { step_up_minutes: 61 },
    { allowed_methods: ['sms'] },
    { enforcement: 'required', allowed_methods: [] },
    { allowed_methods: [], step_up_minutes: 5 },
    { since: '2020-01-01T00:00:00.000Z' },
  ])('refuses %j', async (body) => {
    expect((await setPolicy(body)).status).toBe(422)
  })

  test('keeps the day on which a factor became required', async () => {
    const { since } = (await setPolicy({ enforcement: 'required' })).body
    wait(DAY)
    anna = await signIn(local, acme.owner)
    await enrolTotp(local, anna)

    expect((await setPolicy({ enforcement: 'required', grace_days: 3 })).body.since).toBe(since)
  })
})

describe('where a factor is required', () => {
  test('a person without one signs in as ever until the days of grace are over', async () => {
    await setPolicy({ enforcement: 'required', grace_days: 2 })
    wait(2 * DAY - MINUTE)
    expect((await logIn(local, acme.approver)).body).not.toHaveProperty('mfa_enrollment_required')

    wait(MINUTE)

    expect((await logIn(local, acme.approver)).body).toMatchObject({
      mfa_enrollment_required: true,
      access_token: expect.any(String),
    })
  })

  test('the session that is given then can enrol and nothing else, and becomes whole by it', async () => {
    await setPolicy({ enforcement: 'required', grace_days: 0 })
    const ben = await signIn(local, acme.approver)
    const refused = await ben.call(security.listPolicies, { params: params() })
    expect(refused).toMatchObject({ status: 403 })
    expect([(await ben.call(auth.me)).status, (await ben.call(mfa.get)).status]).toEqual([200, 200])

    await enrolTotp(local, ben)

    expect((await ben.call(auth.listSessions)).status).toBe(200)
    expect((await ben.call(auth.me)).body.session.amr).toEqual(['pwd', 'otp', 'mfa'])
  })

  test('a passkey makes such a session whole, too', async () => {
    await setPolicy({ enforcement: 'required', grace_days: 0 })
    const ben = await signIn(local, acme.approver)
    await enrolPasskey(ben, newEmulator(), local.appUrl)

    expect((await ben.call(auth.listSessions)).status).toBe(200)
  })
})

describe('where factors are off', () => {
  test('nobody is asked for one', async () => {
    await enrolTotp(local, anna)
    await setPolicy({ enforcement: 'off' })

    expect((await logIn(local, acme.owner)).body).toHaveProperty('access_token')
  })
})

describe('step-up', () => {
  let app: App
  beforeEach(async () => {
    app = (await enrolTotp(local, anna)).app
    await setPolicy({ step_up_minutes: 5 })
  })

  const savePolicy = (call = anna.call) =>
    call(security.savePolicy, { params: params(), body: bodyOf(security.savePolicy) ?? {} })
  const show = (body: object, call = anna.call) => call(mfa.verify, { body })
  const required = {
    status: 403,
    body: {
      detail:
        'This needs a second factor that you have shown recently. Show one (POST /api/v1/auth/mfa/verify) and repeat the request.',
    },
  }

  test('a sensitive change needs a factor that was shown within the minutes', async () => {
    expect((await savePolicy()).status).toBe(201)
    wait(5 * MINUTE)
    expect(await savePolicy()).toMatchObject(required)
    expect((await setPolicy({})).status).toBe(403)
    const accomplice = { email: 'accomplice@example.com', roles: ['owner'] }
    expect(await anna.call(users.invite, { body: accomplice })).toMatchObject(required)

    expect(await show({ method: 'totp', code: app.nextCode() })).toMatchObject({
      status: 200,
      body: { mfa_at: expect.any(String) },
    })

    expect((await setPolicy({})).status).toBe(200)
  })

  test('a passkey does as well', async () => {
    const emulator = newEmulator()
    await enrolPasskey(anna, emulator, local.appUrl)
    wait(6 * MINUTE)
    const { body } = await anna.call(mfa.passkeyOptions, { body: { purpose: 'verify' } })
    const credential = emulator.getJSON(local.appUrl, body.options)

    expect((await show({ method: 'webauthn', challenge_id: body.challenge_id, credential })).status).toBe(200)
    expect((await savePolicy()).status).toBe(201)
  })

  test('a wrong code changes nothing and does not end the session', async () => {
    wait(5 * MINUTE)
    expect(await show({ method: 'totp', code: app.wrongCode() })).toMatchObject({
      status: 401,
      body: { detail: 'Your second factor was not accepted. Check it and try again.' },
    })

    expect(await savePolicy()).toMatchObject(required)
    expect((await anna.call(auth.me)).status).toBe(200)
  })

  test('a session without a factor can not show one', async () => {
    const ben = await signIn(local, acme.approver)

    expect((await show({ method: 'totp', code: '000000' }, ben.call)).status).toBe(401)
  })

  test('keys are not asked: they have none', async () => {
    wait(5 * MINUTE)

    expect((await savePolicy(acme.call)).status).toBe(201)
    expect((await show({ method: 'totp', code: '000000' }, acme.call)).status).toBe(403)
  })

  test('neither a session nor a token: 401', async () => {
    expect(await show({ method: 'totp', code: app.nextCode() }, local.call)).toMatchObject({
      status: 401,
      body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
    })
    const ended = signedIn(local, await local.call(auth.refresh, { body: { refresh_token: anna.refresh_token } }))
    await ended.call(auth.logout, { body: {} })
    expect(await show({ method: 'totp', code: app.nextCode() }, ended.call)).toMatchObject({
      status: 401,
      body: { detail: 'Your credentials are invalid or expired. Sign in again or use another key.' },
    })
  })
})
