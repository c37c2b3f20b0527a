import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { type App, enrolTotp } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { logIn, signedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let app: App
beforeEach(async () => {
  acme = await local.tenant()
  app = (await enrolTotp(local, await signIn(local, acme.owner))).app
})

const MINUTE = 60_000
const wait = (ms: number) => local.clock.moveTo(local.clock.now() + ms)
const begin = async (): Promise<string> => (await logIn(local, acme.owner)).body.mfa_token
const verify = (mfa_token: string, code: string, method = 'totp') =>
  local.call(mfa.verify, { body: { mfa_token, method, code } })

const badToken = {
  status: 401,
  body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
}
const badCode = { status: 401, body: { detail: 'Your second factor was not accepted. Check it and try again.' } }

describe('a sign-in of somebody with a factor', () => {
  test('gives no tokens but says what is missing', async () => {
    const reply = await logIn(local, acme.owner)

    expect(reply).toMatchObject({
      status: 200,
      body: {
        mfa_required: true,
        mfa_token: expect.stringMatching(/^[\w-]{43}$/),
        methods: ['totp', 'recovery_code'],
        expires_in: 300,
      },
    })
    expect(reply.body).not.toHaveProperty('access_token')
    expect(reply.body).not.toHaveProperty('webauthn')
  })

  test('is not finished by a passkey where none was asked for', async () => {
    const body = { mfa_token: await begin(), method: 'webauthn', credential: {} }
    const { call } = signedIn(local, await verify(await begin(), app.nextCode()))

    expect(await local.call(mfa.verify, { body })).toMatchObject(badCode)
    expect(await call(mfa.verify, { body: { method: 'webauthn', credential: {} } })).toMatchObject(badCode)
  })

  test('is finished by a code, which the session remembers', async () => {
    const token = await begin()
    wait(2 * MINUTE)
    const reply = await verify(token, app.code())
    const { call } = signedIn(local, reply)

    expect(reply.body).toMatchObject({ token_type: 'Bearer', user: { id: acme.owner.id } })
    expect(reply.body.expires_in).toBe(779) // what is left of 15 minutes
    expect((await call(auth.me)).body.session.amr).toEqual(['pwd', 'otp', 'mfa'])
  })

  test('takes the code with a space in it, and that of a clock that is a step off', async () => {
    const code = app.nextCode()
    const spaced = await verify(await begin(), `${code.slice(0, 3)} ${code.slice(3)}`)
    wait(2 * MINUTE)

    expect([spaced.status, (await verify(await begin(), app.code(-1))).status]).toEqual([200, 200])
  })

  test('never takes a code twice', async () => {
    const code = app.nextCode()
    await verify(await begin(), code)

    expect(await verify(await begin(), code)).toMatchObject(badCode)
  })

  test('takes a code once of many that come at the same moment', async () => {
    const code = app.nextCode()
    const tokens = [await begin(), await begin(), await begin(), await begin()]
    const replies = await Promise.all(tokens.map((token) => verify(token, code)))

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('takes a right code of one token once, also from concurrent requests', async () => {
    const token = await begin()
    const code = app.nextCode()
    const replies = await Promise.all([verify(token, code), verify(token, code), verify(token, code)])

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await verify(token, app.nextCode())).toMatchObject(badToken)
  })

  test('ends after five minutes', async () => {
    const [first, second] = [await begin(), await begin()]
    wait(5 * MINUTE - 1_000)
    expect((await verify(first, app.code())).status).toBe(200)

    expect(await verify(second, app.nextCode())).toMatchObject(badToken)
  })

  test('has five tries: the sixth is refused even with the right code', async () => {
    const token = await begin()
    for (const code of ['a', 'b', 'c', 'd', 'e'])
      expect(await verify(token, code, 'recovery_code')).toMatchObject(badCode)

    expect(await verify(token, app.nextCode())).toMatchObject(badToken)
  })

  test.each(['', 'x'.repeat(43), 'x'.repeat(100)])('takes no token like %j', async (token) => {
    expect(await verify(token, app.nextCode())).toMatchObject(badToken)
  })

  test('says what it misses before it takes a try', async () => {
    const token = await begin()
    const nothing = await local.call(mfa.verify, { body: { mfa_token: token, method: 'totp' } })
    const neither = await local.call(mfa.verify, { body: { mfa_token: token, method: 'webauthn', code: '1' } })

    expect([nothing.status, neither.status]).toEqual([422, 422])
    expect(nothing.body.detail).toEqual([{ loc: ['body', 'code'], msg: 'field required', type: 'missing' }])
  })
})

describe('wrong codes', () => {
  const tryWrong = async (times: number) => {
    for (let i = 0; i < times; i += 1) await verify(await begin(), app.wrongCode())
  }

  test('lock the app for 15 minutes at the fifth within five', async () => {
    await tryWrong(4)
    expect((await verify(await begin(), app.nextCode())).status).toBe(200)

    await tryWrong(5)

    const refused = await verify(await begin(), app.nextCode())
    expect(refused).toMatchObject({
      status: 429,
      body: {
        detail: expect.stringMatching(/^Too many attempts have failed\. Try again in \d+ minutes?, at [\d:]{8} UTC\.$/),
      },
    })
    expect(refused.body.detail).toContain(`at ${refused.body.retry_at.slice(11, 19)} UTC`)
    expect(Date.parse(refused.body.retry_at)).toBeGreaterThan(local.clock.now())
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900)
    wait(15 * MINUTE)
    expect((await verify(await begin(), app.nextCode())).status).toBe(200)
  })

  test('in 15 minutes block all factors for 30 at the tenth', async () => {
    await tryWrong(5)
    for (const code of ['a', 'b', 'c', 'd']) await verify(await begin(), code, 'recovery_code')
    expect((await verify(await begin(), 'e', 'recovery_code')).status).toBe(401)

    const refused = await verify(await begin(), 'f', 'recovery_code')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1_790)
    wait(16 * MINUTE)
    expect((await verify(await begin(), app.nextCode())).status).toBe(429)
    wait(15 * MINUTE)
    expect((await verify(await begin(), app.nextCode())).status).toBe(200)
  })

  test('that blocked the factors are forgiven by an administrator', async () => {
    const ben = await enrolTotp(local, await signIn(local, acme.approver))
    const beginAsBen = async (): Promise<string> => (await logIn(local, acme.approver)).body.mfa_token
    const [first, second] = [await beginAsBen(), await beginAsBen()]
    for (const token of [first, second]) {
      for (const code of ['a', 'b', 'c', 'd', 'e']) await verify(token, code, 'recovery_code')
    }
    expect((await verify(await beginAsBen(), ben.app.nextCode())).status).toBe(429)

    const params = { id: acme.approver.id }
    expect((await acme.call(users.get, { params })).body.locked_until).toEqual(expect.any(String))
    const owner = signedIn(local, await verify(await begin(), app.nextCode()))
    const unlocked = await owner.call(users.update, { params, body: { locked: false } })

    expect(unlocked).toMatchObject({ status: 200, body: { locked_until: null } })
    expect((await verify(await beginAsBen(), ben.app.nextCode())).status).toBe(200)
  })
})
