import { beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../../shared/base/lib/json.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import { users as people } from '../../../functions/users/routes.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { tokenFor } from '../../support/mailbox.ts'
import { logIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const NEXT = 'another battery staple'

const local = useLocalStack()
let acme: TestTenant
let token: string
beforeEach(async () => {
  acme = await local.tenant()
  await local.call(auth.forgotPassword, { body: { email: acme.owner.email } })
  token = await tokenFor(local, acme.owner.email, 'password_reset')
})

const show = (of: string) => local.call(auth.passwordPage, { query: { token: of } })
const post = (fields: Record<string, string>, type = 'application/x-www-form-urlencoded') =>
  local.call(auth.submitPassword, { body: new URLSearchParams(fields).toString(), headers: { 'content-type': type } })
const set = (of: string, password = NEXT, more = {}) => post({ token: of, password, repeated: password, ...more })

describe('GET /auth/password', () => {
  test('200: a form for a reset link, which looking at does not use up', async () => {
    for (let i = 0; i < 2; i += 1) {
      const { status, body, headers } = await show(token)

      expect(status).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(body).toContain('<h1>Set a new password</h1>')
      expect(body).toContain(`value="${token}"`)
      expect(body).toContain(`value="${acme.owner.email}" readonly`)
    }
  })

  test('needs no script, keeps its address to itself and takes nothing from elsewhere', async () => {
    const { body, headers } = await show(token)
    const style = /<style>([^]*)<\/style>/.exec(body)?.[1] ?? ''

    expect(headers['content-security-policy']?.split('; ')).toEqual([
      "default-src 'none'",
      'img-src data:',
      `style-src 'sha256-${sha256(style).toString('base64')}'`,
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    expect(body).not.toMatch(/<script|style=|https?:|\bon[a-z]+=/)
  })

  test('every field has a label, and the rule of a field is read out with it', async () => {
    const { body } = await show(token)
    const fields = [...body.matchAll(/<input\s+id="(\w+)"/g)].map(([, id]) => id)

    expect(fields).toEqual(['email', 'password', 'repeated'])
    for (const id of fields) expect(body).toContain(`<label for="${id}">`)
    expect(body).toContain('aria-describedby="rule"')
    expect(body).toContain('<html lang="en">')
  })

  test('401: says of a link that is over what to do', async () => {
    for (const bad of ['', 'x', `${token}x`]) {
      expect(await show(bad)).toMatchObject({ status: 401, body: expect.stringContaining('no longer valid') })
    }
  })
})

describe('POST /auth/password', () => {
  test('200: sets the password', async () => {
    expect(await set(token)).toMatchObject({ status: 200, body: expect.stringContaining('Your password is set') })
    expect((await logIn(local, { ...acme.owner, password: NEXT })).status).toBe(200)
    expect((await set(token)).status, 'once').toBe(401)
  })

  test('422: shows the form again with what was wrong, and the link stays good', async () => {
    const short = await set(token, 'too short')
    expect(short.status).toBe(422)
    expect(short.body).toContain(
      '<p role="alert" id="problem">The password must have at least 12 characters. Choose a longer one.</p>',
    )
    expect(short.body).toContain('aria-describedby="problem rule"')
    const differ = await post({ token, password: NEXT, repeated: PASSWORD })
    expect(differ.body).toContain('<p role="alert" id="problem">The two passwords differ.</p>')
    expect(differ.body).not.toContain(NEXT)

    expect((await set(token)).status).toBe(200)
  })

  test('400: takes a form and nothing else', async () => {
    expect((await post({ token, password: NEXT, repeated: NEXT }, 'application/json')).status).toBe(400)
    expect((await post({ token, password: NEXT, repeated: NEXT }, 'text/plain')).status).toBe(400)
    const body = `token=${token}&token=${token}&password=${NEXT}&repeated=${NEXT}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await local.call(auth.submitPassword, { body, headers })).status).toBe(400)
  })
})

describe('the page of an invitation', () => {
  const invite = async (name = 'B "<b>" en') => {
    const email = `ben@${acme.tenant_id.toLowerCase().replace('_', '-')}.example`
    const { call } = await signIn(local, acme.owner)
    await call(people.invite, { body: { email, ...(name && { name }), roles: ['member'] } })
    return { email, invitation: await tokenFor(local, email, 'invitation') }
  }

  test('names the tenant, asks for a name and lets the person in', async () => {
    const { email, invitation } = await invite()
    const { body } = await show(invitation)
    expect(body).toContain('<label for="name">')
    expect((await set(invitation, NEXT, { name: 'Ben' })).status).toBe(200)

    expect((await logIn(local, { email, password: NEXT })).body.user).toMatchObject({ name: 'Ben', roles: ['member'] })
  })

  test('422: keeps the name that was entered, and points at what is missing', async () => {
    const { invitation } = await invite('')
    expect((await show(invitation)).body).toMatch(/name="name"[^>]*autofocus/)
    const { body } = await set(invitation, 'too short', { name: 'Ben' })

    expect(body).toContain('value="Ben"')
    expect(body).toMatch(/name="password"[^>]*autofocus/)
  })

  test('shows names from outside as text', async () => {
    const params = { tenant_id: acme.tenant_id }
    const { call } = await signIn(local, acme.owner)
    await call(tenants.update, { params, body: { name: `"><img src=x onerror='alert(1)'>&amp;` } })
    const { invitation } = await invite()
    const { body } = await show(invitation)

    expect(body).toContain('<h1>Join &quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;amp;</h1>')
    expect(body).toContain('value="B &quot;&lt;b&gt;&quot; en"')
    expect(body).not.toContain('<img')
  })
})
