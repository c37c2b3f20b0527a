import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { users as people } from '../../../functions/users/routes.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { mailsTo, tokenFor } from '../../support/mailbox.ts'
import { logIn, ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR = 3_600_000

const DAY_MS = 86_400_000

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

let made = 0
const newAddress = () => `anna.${(made += 1)}@globex.example`
const register = (body: object) => local.call(auth.register, { body: { password: PASSWORD, ...body } })
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const verified = async (email: string) => (await (await signIn(local, { email })).call(auth.me)).body
const verify = (token: string) => local.call(auth.verifyEmail, { query: { token } })
const resend = (email: string) => local.call(auth.resendVerification, { body: { email } })

describe('POST /api/v1/auth/register', () => {
  test('201: founds a tenant on the free plan with the caller as its owner, who is not signed in yet', async () => {
    const email = newAddress()
    const reply = await register({ email, name: 'Anna', tenant_name: 'Globex' })

    expect(reply).toMatchObject({
      status: 201,
      body: {
        user: { email, email_verified: false, name: 'Anna', roles: ['owner'], status: 'active', source: 'register' },
        tenant: { id: expect.stringMatching(/^ten_/), name: 'Globex', plan: 'free' },
        verification: 'sent',
      },
    })
    expect(reply.body.access_token).toBeUndefined()
    const { call } = await signIn(local, { email })
    expect((await call(auth.me)).body).toMatchObject({ email, email_verified: false, tenant: reply.body.tenant })
  })

  test('the tenant takes the name of the domain when nobody names it', async () => {
    expect((await register({ email: newAddress() })).body.tenant.name).toBe('globex.example')
  })

  test('201: takes every mailbox that mail can be sent to, and shows it as it was written', async () => {
    const email = "o'brien/r&d=1!@straße.example"

    expect(await register({ email })).toMatchObject({
      status: 201,
      body: { user: { email }, tenant: { name: 'straße.example' } },
    })
    expect(await register({ email: "O'Brien/R&D=1!@xn--strae-oqa.example" })).toMatchObject({ status: 409 })
    await local.call(auth.resendVerification, { body: { email } })
    expect(await mailsTo(local, "o'brien/r&d=1!@xn--strae-oqa.example")).not.toHaveLength(0)
  })

  test('409: an address with an account in any tenant is taken, however it is written', async () => {
    for (const email of [acme.owner.email, acme.owner.email.toUpperCase()]) {
      expect(await register({ email })).toMatchObject({ status: 409, body: { code: 'conflict' } })
    }
  })

  test('of eight at the same moment one wins', async () => {
    const email = newAddress()
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => register({ email })))).map((one) => one.status)

    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array(7).fill(409)])
    expect((await logIn(local, { email })).status).toBe(200)
  })

  test.each([
    [{ password: 'too short' }, 'password'],
    [{ password: 'anna.99 and more words', email: 'anna.99@globex.example' }, 'password'],
    [{ email: 'no address' }, 'email'],
    [{ email: 'anna@192.0.2.1' }, 'email'],
    [{ email: `${'a'.repeat(65)}@globex.example` }, 'email'],
    [{ name: 'A\u0007' }, 'name'],
  ])('422: %j', async (over, field) => {
    expect(await register({ email: newAddress(), ...over })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', field] }] },
    })
  })

  test('after a refusal the address is free', async () => {
    const email = newAddress()
    await register({ email, password: 'too short' })

    expect((await register({ email })).status).toBe(201)
  })
})

describe('an invitation', () => {
  const invite = async (email: string, roles = ['developer']) => {
    const { call } = await ownerInPerson(local, acme)
    const reply = await call(people.invite, { body: { email, roles } })
    expect(reply.status).toBe(201)
    return tokenFor(local, email, 'invitation')
  }

  test('201: makes the caller a member of the tenant, with a verified address', async () => {
    const email = newAddress()
    const invitation_token = await invite(email)
    expect((await logIn(local, { email })).status, 'before it is accepted').toBe(401)

    const reply = await register({ email, invitation_token, name: 'Ben' })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        user: { email, email_verified: true, name: 'Ben', roles: ['developer'], status: 'active', source: 'invite' },
        tenant: { id: acme.tenant_id },
        verification: 'verified',
      },
    })
    expect((await logIn(local, { email })).body.user.tenant_id).toBe(acme.tenant_id)
  })

  test('401: works once', async () => {
    const email = newAddress()
    const invitation_token = await invite(email)
    expect((await register({ email, invitation_token })).status).toBe(201)

    expect(await register({ email, invitation_token })).toMatchObject({
      status: 401,
      body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
    })
  })

  test('422: is for the address that was invited', async () => {
    const invitation_token = await invite(newAddress())

    expect(await register({ email: newAddress(), invitation_token })).toMatchObject({ status: 422 })
  })

  test('401: ends after seven days', async () => {
    const email = newAddress()
    const invitation_token = await invite(email)
    await local.advance(7 * 24 * HOUR)

    expect((await register({ email, invitation_token })).status).toBe(401)
  })

  test('can be accepted where passwords are reset, too', async () => {
    const email = newAddress()
    const token = await invite(email)

    expect((await local.call(auth.resetPassword, { body: { token, password: PASSWORD } })).status).toBe(200)
    expect((await logIn(local, { email })).status).toBe(200)
  })
})

describe('GET /api/v1/auth/verify-email', () => {
  test('200: verifies the address, and may be opened again', async () => {
    const email = newAddress()
    await register({ email })
    const token = await tokenFor(local, email, 'verify_email')

    for (let i = 0; i < 3; i += 1) {
      expect(await verify(token)).toMatchObject({ status: 200, body: { email, verified: true } })
    }
    const { call } = await signIn(local, { email })
    expect((await call(auth.me)).body.email_verified).toBe(true)
  })

  test('a person with a browser gets a page, also for a link that is over', async () => {
    const email = newAddress()
    await register({ email })
    const headers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const open = (token: string) => local.call(auth.verifyEmail, { query: { token }, headers })
    const token = await tokenFor(local, email, 'verify_email')

    for (let i = 0; i < 2; i += 1) {
      expect(await open(token)).toMatchObject({ status: 200, body: expect.stringContaining('enter the password') })
    }
    expect((await verified(email)).email_verified, 'opening the page changes nothing').toBe(false)
    const submit = (password: string) =>
      local.call(auth.submitVerification, { headers: FORM, body: new URLSearchParams({ token, password }).toString() })
    expect(await submit('another password altogether')).toMatchObject({
      status: 401,
      body: expect.stringContaining('not the password of the account'),
    })
    for (let i = 0; i < 2; i += 1) {
      expect(await submit(PASSWORD)).toMatchObject({ status: 200, body: expect.stringContaining(`${email} is yours`) })
    }
    expect(await open(token)).toMatchObject({ status: 200, body: expect.stringContaining(`${email} is yours`) })
    expect((await verified(email)).email_verified).toBe(true)
    expect(await open('x')).toMatchObject({ status: 401, body: expect.stringContaining('no longer valid') })
  })

  test('401: not after a day, and not with another token', async () => {
    const email = newAddress()
    await register({ email })
    const token = await tokenFor(local, email, 'verify_email')

    for (const wrong of ['x', `${token}x`, token.slice(1)]) {
      expect(await verify(wrong)).toMatchObject({
        status: 401,
        body: { detail: 'This link or token is invalid or has expired. Start again to get a new one.' },
      })
    }
    await local.advance(24 * HOUR)
    expect((await verify(token)).status).toBe(401)
  })
})

describe('POST /api/v1/auth/resend-verification', () => {
  const count = async (email: string) =>
    (await mailsTo(local, email)).filter(({ kind }) => kind === 'verify_email').length

  test('202: always, and sends once a minute and five times a day', async () => {
    local.clock.moveTo(Math.ceil(local.clock.now() / DAY_MS) * DAY_MS) // a day begins, which is longer than the test
    const email = newAddress()
    await register({ email })
    expect(await count(email)).toBe(1)

    for (let i = 0; i < 3; i += 1) expect((await resend(email)).status).toBe(202)
    expect(await count(email)).toBe(2)
    for (let i = 0; i < 8; i += 1) {
      await local.advance(60_000)
      expect((await resend(email)).status).toBe(202)
    }
    expect(await count(email)).toBe(6)
  })

  test('202: sends nothing to a verified or unknown address, and does not say so', async () => {
    const unknown = newAddress()
    for (const email of [acme.owner.email, unknown]) {
      expect(await resend(email)).toMatchObject({ status: 202, body: { status: 'accepted' } })
    }
    expect(await mailsTo(local, unknown)).toEqual([])
    expect(await count(acme.owner.email)).toBe(0)
  })
})
