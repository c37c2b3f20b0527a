import { describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { faultyPool } from '../../support/faulty-pool.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { logIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR = 3_600_000
const NEXT = 'another battery staple'
const pool = faultyPool()

const local = useLocalStack({ plugins: [pool.plugin] })
let acme: TestTenant

const forgot = (email: string) => local.call(auth.forgotPassword, { body: { email } })
const reset = (token: string, password = NEXT) => local.call(auth.resetPassword, { body: { token, password } })
const over = {
  status: 401,
  body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
}

async function forgetful(): Promise<{ email: string; token: string }> {
  acme = await local.tenant()
  const { email } = acme.owner
  expect(await forgot(email)).toMatchObject({ status: 202, body: { status: 'accepted' } })
  return { email, token: await tokenFor(local, email, 'password_reset') }
}

describe('POST /api/v1/auth/password/forgot', () => {
  test('202: in the same words and with the same calls for an address that nobody has', async () => {
    acme = await local.tenant()
    pool.called()
    const [known, unknown] = [await forgot(acme.owner.email), await forgot('nobody@elsewhere.example')]

    expect(known.body).toEqual(unknown.body)
    expect([known.status, unknown.status]).toEqual([202, 202])
    expect(pool.called(), 'neither looks anybody up').toEqual([])
    expect(await mailsTo(local, 'nobody@elsewhere.example')).toEqual([])
  })

  test('202: writes to nobody more than five times an hour, for all callers together: the links of then are still good', async () => {
    acme = await local.tenant()
    const { email } = acme.owner
    const resets = async () => (await mailsTo(local, email)).filter(({ kind }) => kind === 'password_reset')
    for (let i = 0; i < 7; i += 1) expect((await forgot(email)).status).toBe(202)
    expect(await resets()).toHaveLength(5)

    await local.advance(HOUR)
    await forgot(email)
    expect(await resets()).toHaveLength(6)
  })

  test('202: asking for one tenant leaves a mail for the others', async () => {
    acme = await local.tenant()
    const { email } = acme.owner
    const body = { email, tenant_id: 'ten_missing' }
    for (let i = 0; i < 5; i += 1) await local.call(auth.forgotPassword, { body })
    await forgot(email)

    expect((await mailsTo(local, email)).map(({ kind }) => kind)).toEqual(['password_reset'])
  })
})

describe('POST /api/v1/auth/password/reset', () => {
  test('200: sets the password, ends all sessions and mails the person', async () => {
    const { email, token } = await forgetful()
    const before = await signIn(local, { email })

    expect(await reset(token)).toMatchObject({ status: 200, body: { status: 'reset' } })
    expect((await before.call(auth.me)).status).toBe(401)
    expect((await local.call(auth.refresh, { body: { refresh_token: before.refresh_token } })).status).toBe(401)
    expect((await logIn(local, { email })).status).toBe(401)
    expect((await logIn(local, { email, password: NEXT })).status).toBe(200)
    expect((await mailsTo(local, email)).map(({ kind }) => kind)).toContain('password_changed')
    const { body } = await acme.call(evidence.latest, { query: { type: 'identity.user.password_changed' } })
    expect(body.items[0]).toMatchObject({ subject: { type: 'user', id: acme.owner.id } })
  })

  test('401: a link works once, and using one ends the others', async () => {
    const { email, token } = await forgetful()
    await forgot(email)
    const sibling = await tokenFor(local, email, 'password_reset')
    expect(sibling).not.toBe(token)
    expect((await reset(token)).status).toBe(200)

    expect(await reset(token)).toMatchObject(over)
    expect(await reset(sibling)).toMatchObject(over)
  })

  test('401: a link ends after an hour', async () => {
    const { token } = await forgetful()
    await local.advance(HOUR)

    expect(await reset(token)).toMatchObject(over)
  })

  test('401: a link of another kind sets no password', async () => {
    const email = 'dora@globex.example'
    await local.call(auth.register, { body: { email, password: PASSWORD } })

    expect(await reset(await tokenFor(local, email, 'verify_email'))).toMatchObject(over)
  })

  test('422: a bad password leaves the link good', async () => {
    const { token } = await forgetful()

    expect(await reset(token, 'too short')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'password'] }] },
    })
    expect((await reset(token)).status).toBe(200)
  })

  test('503: while the pool fails, the link stays good', async () => {
    const { token } = await forgetful()
    pool.fail('AdminSetUserPassword')
    expect((await reset(token)).status).toBe(503)
    pool.mend()

    expect((await reset(token)).status).toBe(200)
  })

  test('of several at the same moment one wins', async () => {
    const { token } = await forgetful()
    const statuses = (await Promise.all(Array.from({ length: 4 }, () => reset(token)))).map(({ status }) => status)

    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })
})

describe('POST /api/v1/auth/password/change', () => {
  test('200: the own session goes on, the others end, and the person gets a mail', async () => {
    acme = await local.tenant()
    const [here, there] = [await signIn(local, acme.owner), await signIn(local, acme.owner)]
    const body = { current_password: PASSWORD, new_password: NEXT }

    expect(await here.call(auth.changePassword, { body })).toMatchObject({ status: 200, body: { status: 'changed' } })
    expect((await here.call(auth.me)).status).toBe(200)
    expect((await there.call(auth.me)).status).toBe(401)
    expect((await logIn(local, acme.owner)).status).toBe(401)
    expect((await logIn(local, { ...acme.owner, password: NEXT })).status).toBe(200)
    expect((await mailsTo(local, acme.owner.email)).map(({ kind }) => kind)).toContain('password_changed')
  })

  test('422: needs the present password, and does not let it be guessed', async () => {
    acme = await local.tenant()
    const { call } = await signIn(local, acme.owner)
    const body = { current_password: 'not the present one', new_password: NEXT }
    const statuses: number[] = []
    for (let i = 0; i < 7; i += 1) statuses.push((await call(auth.changePassword, { body })).status)

    expect(statuses.slice(0, 5)).toEqual(Array(5).fill(422))
    expect(statuses).toContain(429)
  })

  test('403: is for people who signed in', async () => {
    acme = await local.tenant()
    const body = { current_password: PASSWORD, new_password: NEXT }

    expect((await acme.call(auth.changePassword, { body })).status).toBe(403)
  })
})
