// A command line that signs a person in by a code (RFC 8628): it polls by plain requests, while the
// person types the code in a browser.
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { clients } from '../../../functions/clients/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { dynamodb } from '../../../shared/base/aws/clients.ts'
import { openTable } from '../../../shared/base/context.ts'
import { named } from '../../../shared/identity/artefacts/artefact.ts'
import { Browser, type Place } from '../../support/browser.ts'
import { enrolTotp } from '../../support/factors.ts'
import { send } from '../../support/http.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { auditedActions, CODE_CLIENT, followClock, newClient } from '../../support/oauth.ts'
import { ownerInPerson, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const CLI = {
  name: 'Command line',
  type: 'public',
  grant_types: [GRANT, 'refresh_token'],
  scopes: ['openid', 'offline_access', 'governance:read'],
}

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let client_id: string

beforeAll(async () => {
  followClock(local)
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  client_id = (await newClient(acme, CLI)).client_id
})
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

async function post(path: string, form: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'countersign-cli/1.0' }
  const reply = await send(`${local.appUrl}${path}`, {
    method: 'POST',
    ip: '127.0.0.7',
    headers,
    body: new URLSearchParams(form).toString(),
  })
  return { status: reply.status, body: JSON.parse(reply.text) }
}

const begin = (over: Record<string, string> = {}) =>
  post('/oauth/device_authorization', { client_id, scope: 'openid offline_access governance:read', ...over })

const poll = (device_code: string, over: Record<string, string> = {}) =>
  post('/oauth/token', { grant_type: GRANT, client_id, device_code, ...over })

/** The windows of limits begin here, so no test crosses their border. */
const atNextMinute = () => local.clock.moveTo(Math.ceil(local.clock.now() / 60_000) * 60_000)

let visitors = 0

/** A browser at an address of its own, since each address may try only a few codes. */
function newBrowser(): Browser {
  const browser = new Browser(local.appUrl)
  visitors += 1
  browser.ip = `127.0.1.${visitors}`
  return browser
}

const titleOf = ({ text }: Place) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
const problemIn = ({ text }: Place) => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1]

/** Up to the page that asks whether it is the right device. */
async function typed(browser: Browser, user_code: string): Promise<Place> {
  return browser.submit(await browser.open(`${local.appUrl}/oauth/device`), { user_code })
}

async function signedIn(browser: Browser, user_code: string, { email } = acme.owner): Promise<Place> {
  const page = await browser.submit(await typed(browser, user_code), {})
  return titleOf(page) === 'Sign in' ? browser.press(page, 'password', { email, password: PASSWORD }) : page
}

describe('a device', () => {
  test('waits until a person has confirmed its code, signed in and agreed, then gets tokens once', async () => {
    const { status, body: asked } = await begin()
    expect({ status, asked }).toMatchObject({
      status: 200,
      asked: {
        user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
        verification_uri: `${local.appUrl}/oauth/device`,
        expires_in: 600,
      },
    })
    expect(await poll(asked.device_code)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } })

    const browser = newBrowser()
    const confirm = await typed(browser, asked.user_code.toLowerCase().replace('-', ' '))
    expect(titleOf(confirm)).toBe('Is this your device?')
    for (const shown of [
      'Command line',
      asked.user_code,
      '127.0.0.7',
      'countersign-cli',
      'read actions',
      'somebody sent you',
    ]) {
      expect(confirm.text).toContain(shown)
    }
    const consent = await browser.press(await browser.submit(confirm, {}), 'password', {
      email: acme.owner.email,
      password: PASSWORD,
    })
    expect(titleOf(consent)).toBe('Give access?')
    expect(consent.text).toContain('somebody sent you')
    await local.clock.sleep(5_000)
    expect((await poll(asked.device_code)).body).toMatchObject({ error: 'authorization_pending' })
    expect(titleOf(await browser.press(consent, 'allow'))).toBe('Your device is connected')

    await local.clock.sleep(5_000)
    const { body: tokens } = await poll(asked.device_code)
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      refresh_token: expect.any(String),
      id_token: expect.any(String),
    })
    expect(await local.call(oauth.userinfo, { key: tokens.access_token })).toMatchObject({ status: 200 })
    const renewed = await post('/oauth/token', {
      grant_type: 'refresh_token',
      client_id,
      refresh_token: tokens.refresh_token,
    })
    expect(renewed).toMatchObject({ status: 200 })
    expect(await auditedActions(acme)).toContain('oauth_grant.created')
    expect(problemIn(await typed(newBrowser(), asked.user_code))).toMatch(/used already/)
    expect((await poll(asked.device_code)).body).toMatchObject({ error: 'invalid_grant' })
  })

  test('gets nothing when the person denies, at the code or at the consent', async () => {
    const [first, second] = [(await begin()).body, (await begin()).body]
    const browser = newBrowser()

    const atCode = await browser.submit(await typed(browser, first.user_code), { abort: 'yes' })
    const atConsent = await browser.press(await signedIn(browser, second.user_code), 'deny')

    for (const page of [atCode, atConsent]) expect(titleOf(page)).toBe('No access was given')
    for (const { device_code } of [first, second]) {
      expect(await poll(device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } })
    }
  })

  test('is refused when its code has expired, belongs to another client or was asked for too often', async () => {
    const { body: asked } = await begin()
    const foreign = await newClient(other, CLI)
    expect((await poll(asked.device_code, { client_id: foreign.client_id })).body).toMatchObject({
      error: 'invalid_grant',
    })

    const answers = []
    atNextMinute()
    for (let time = 0; time < 4; time += 1) answers.push((await poll(asked.device_code)).body.error)
    expect(answers).toContain('slow_down')

    await local.clock.sleep(600_000)
    expect((await poll(asked.device_code)).body.error).toMatch(/^(expired_token|invalid_grant)$/)
    expect(problemIn(await typed(newBrowser(), asked.user_code))).toMatch(/expired/)
  })

  test('may register itself and ask at once', async () => {
    const { body: access } = await acme.call(clients.createRegistrationToken, { body: { expires_in: 600 } })
    const metadata = {
      client_name: 'Registered line',
      token_endpoint_auth_method: 'none',
      grant_types: [GRANT, 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    }
    const { status, body } = await local.call(oauth.register, { key: access.token, body: metadata })
    expect({ status, body }).toMatchObject({ status: 201, body: { grant_types: [GRANT, 'refresh_token'] } })

    const { body: asked } = await begin({ client_id: body.client_id })
    const browser = newBrowser()
    const done = await browser.press(await signedIn(browser, asked.user_code), 'allow')

    expect(titleOf(done)).toBe('Your device is connected')
    expect(await poll(asked.device_code, { client_id: body.client_id })).toMatchObject({ status: 200 })
  })

  test('gives up no code to who reads the table', async () => {
    const { body } = await begin()
    const plain = body.user_code.replace('-', '')
    const { Items = [] } = await dynamodb().send(new ScanCommand({ TableName: openTable().name }))
    const text = Items.map((item) => JSON.stringify(item)).join('\n')

    expect(text).toContain('OIDC#DeviceCode#')
    expect(text).toContain('OIDC#UserCode#')
    for (const code of [body.device_code, body.user_code, plain]) expect(text).not.toContain(code)
    // All codes of eight letters can be hashed, so a hash without a key would tell them.
    for (const code of [body.user_code, plain]) expect(text).not.toContain(named('UserCode', code).hash)
  })

  test('needs a client that lists the grant', async () => {
    const reporter = await newClient(acme, CODE_CLIENT)

    expect(await begin({ client_id: reporter.client_id })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: expect.stringContaining('not allowed') },
    })
    expect(await acme.call(clients.create, { body: { ...CLI, redirect_uris: ['https://a.example/'] } })).toMatchObject({
      status: 422,
    })
  })
})

describe('a person', () => {
  test('who follows a link with the code still sends and confirms it, and agrees each time', async () => {
    const browser = newBrowser()
    const open = async () => browser.open((await begin()).body.verification_uri_complete)
    const filled = await open()
    const user_code = /name="user_code"[^>]*value="([^"]+)"/s.exec(filled.text)?.[1] ?? ''

    expect(filled).toMatchObject({ status: 200 })
    expect(filled.text).not.toContain('<script')
    const confirm = await browser.submit(filled, { user_code })
    expect(titleOf(confirm)).toBe('Is this your device?')
    const { email } = acme.owner
    const consent = await browser.press(await browser.submit(confirm, {}), 'password', { email, password: PASSWORD })
    await browser.press(consent, 'allow')

    expect(titleOf(await signedIn(browser, (await begin()).body.user_code))).toBe('Give access?')
  })

  test('is asked even by a client that needs no consent elsewhere', async () => {
    const quiet = await newClient(await ownerInPerson(local, acme), { ...CLI, skip_consent: true })
    const { body } = await begin({ client_id: quiet.client_id })

    expect(titleOf(await signedIn(newBrowser(), body.user_code))).toBe('Give access?')
  })

  test('of another tenant cannot agree', async () => {
    const { body } = await begin()

    const page = await signedIn(newBrowser(), body.user_code, other.owner)

    expect(page.status).toBe(401)
    expect((await poll(body.device_code)).body).toMatchObject({ error: 'authorization_pending' })
  })

  test('who sends the code in two browsers at once goes on in one of them', async () => {
    const { body } = await begin()
    const browsers = [newBrowser(), newBrowser()]
    const asked = await Promise.all(
      browsers.map(async (browser) => ({ browser, page: await typed(browser, body.user_code) })),
    )

    const pages = await Promise.all(asked.map(({ browser, page }) => browser.submit(page, {})))

    expect(pages.map(titleOf).filter((title) => title === 'Sign in')).toHaveLength(1)
  })

  test('who answers in a second tab, before or after the device has its tokens, changes nothing', async () => {
    for (const later of ['allow', 'deny']) {
      const { body } = await begin()
      const browser = newBrowser()
      const consent = await signedIn(browser, body.user_code)
      expect(titleOf(consent)).toBe('Give access?')

      expect(titleOf(await browser.press(consent, 'allow'))).toBe('Your device is connected')
      const before = await browser.press(consent, later)
      const tokens = await poll(body.device_code)
      const afterwards = await browser.press(consent, later)

      expect(tokens).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } })
      for (const page of [before, afterwards]) expect(page.status).toBeGreaterThanOrEqual(400)
      expect(await local.call(oauth.userinfo, { key: tokens.body.access_token })).toMatchObject({ status: 200 })
      await local.clock.sleep(5_000)
      expect((await poll(body.device_code)).body).toMatchObject({ error: 'invalid_grant' })
    }
  })

  test('shows a second factor as elsewhere', async () => {
    const person = await local.tenant()
    await enrolTotp(local, await signIn(local, person.owner))
    const { client_id: own } = await newClient(person, CLI)
    const { body } = await begin({ client_id: own })

    expect(titleOf(await signedIn(newBrowser(), body.user_code, person.owner))).toBe('Second factor')
  })

  test('may try only a few codes, from a page of ours', async () => {
    const browser = newBrowser()
    const page = await browser.open(`${local.appUrl}/oauth/device`)
    expect(await newBrowser().submit(page, { user_code: 'BBBB-BBBB' })).toMatchObject({ status: 400 })
    expect(await newBrowser().open(`${page.url}/some-uid`)).toMatchObject({ status: 400 })
    const forged = await browser.submit(page, { user_code: 'BBBB-BBBB', xsrf: 'guessed' })
    expect(problemIn(forged)).toMatch(/has ended/)
    const { body } = await begin()
    expect(titleOf(await browser.submit(forged, { user_code: body.user_code }))).toBe('Is this your device?')

    vi.stubEnv('ADDRESS_RATE_FACTOR', '1')
    const tries: Place[] = []
    atNextMinute()
    for (let time = 0; time < 11; time += 1) {
      const at = await browser.open(`${local.appUrl}/oauth/device`)
      tries.push(await browser.submit(at, { user_code: `BBBB-BBB${'BCDFGHJKLMN'.charAt(time)}` }))
    }

    expect(tries[0]).toMatchObject({ status: 400 })
    expect(problemIn(tries[0] ?? page)).toMatch(/no such code/)
    expect(tries.at(-1)).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } })
  })
})
