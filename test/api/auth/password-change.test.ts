// Whoever changes their password suspects that somebody else is in: nothing goes on but the session it was changed from.
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { Browser } from '../../support/browser.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { authorizationRequest, authorized, agree, discovered, followClock, newClient } from '../../support/oauth.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const NEXT = 'another battery staple, entirely'

const local = useLocalStack()
let acme: TestTenant
let here: SignedIn
let config: client.Configuration
beforeAll(async () => {
  followClock(local)
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  acme = await local.tenant()
  config = await discovered(local, await newClient(acme))
  here = await signIn(local, acme.owner)
})

const change = async () => {
  const body = { current_password: PASSWORD, new_password: NEXT }
  expect((await here.call(auth.changePassword, { body })).status).toBe(200)
}
const statusWith = async (key: string) => (await acme.as({ key }).call(approvals.list)).status

describe('a changed password', () => {
  test('ends what clients were granted: their access and their refresh tokens', async () => {
    const { tokens } = await authorized(local, config, acme.owner)
    expect(await statusWith(tokens.access_token)).toBe(200)
    await change()

    expect(await statusWith(tokens.access_token)).toBe(401)
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ status: 400 })
  })

  test('signs a browser out that agreed to a client before', async () => {
    const browser = new Browser(local.appUrl)
    await agree(browser, (await authorizationRequest(config)).url, acme.owner)
    await change()
    local.clock.moveTo(local.clock.now() + 1_000)

    const place = await browser.open((await authorizationRequest(config)).url.href)
    expect(place.text).toContain('<h1>Sign in</h1>')
  })

  test('leaves the session that it came from, which refreshes as before', async () => {
    await change()
    const { status, body } = await local.call(auth.refresh, { body: { refresh_token: here.refresh_token } })

    expect(status).toBe(200)
    expect(await statusWith(body.access_token)).toBe(200)
    expect((await here.call(auth.listSessions)).body.items).toMatchObject([{ current: true }])
  })

  test('twice leaves it, too', async () => {
    await change()
    local.clock.moveTo(local.clock.now() + 1_000)
    const body = { current_password: NEXT, new_password: PASSWORD }

    expect((await here.call(auth.changePassword, { body })).status).toBe(200)
    expect((await here.call(auth.me)).status).toBe(200)
  })
})
