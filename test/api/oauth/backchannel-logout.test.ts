// Clients are told when a person signs out (OpenID Connect Back-Channel Logout 1.0). The receiver checks each token as the
// specification asks of clients.
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { openTable, systemContext } from '../../../shared/base/context.ts'
import { artefacts } from '../../../shared/identity/artefacts/artefact.ts'
import { grantsOf } from '../../../shared/identity/artefacts/store.ts'
import { findClient, oauthClients } from '../../../shared/identity/oauth/clients/client.ts'
import { Browser } from '../../support/browser.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import {
  agree,
  auditedActions,
  authorizationRequest,
  authorized,
  CODE_CLIENT,
  discovered,
  exchange,
  followClock,
  newClient,
} from '../../support/oauth.ts'
import { type Person, personWith } from '../../support/people.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { claimsOf, signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
let ada: Person
let app: Receiver
beforeAll(() => {
  followClock(local)
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  app = await startReceiver()
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
  ada = await personWith(local, owner, ['member'])
  local.clock.moveTo(local.clock.now() + 60_000) // an OAuth sign-in counts from the second after the one in which she joined
})
afterEach(() => app.stop())

const newApp = (over: object = {}) => newClient(acme, { ...CODE_CLIENT, backchannel_logout_uri: app.url, ...over })

async function connected(over: object = {}) {
  const made = await newApp(over)
  const config = await discovered(local, made)
  return { ...made, config, ...(await authorized(local, config, ada)) }
}

/** The claims of all tokens that arrived, in order, each of which passed the steps of section 2.6. */
async function told(client_id: string) {
  await local.drain()
  return Promise.all(app.deliveries.map(async ({ headers, body }) => verified(client_id, headers, body.toString())))
}

async function verified(client_id: string, headers: Record<string, unknown>, body: string) {
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
  const { payload } = await jwtVerify(
    new URLSearchParams(body).get('logout_token') ?? '',
    createRemoteJWKSet(new URL(`${local.appUrl}/.well-known/jwks.json`)),
    {
      issuer: local.appUrl,
      audience: client_id,
      typ: 'logout+jwt',
      algorithms: ['RS256'],
      requiredClaims: ['iat', 'exp', 'jti', 'sub', 'events'],
      currentDate: new Date(local.clock.now()),
    },
  )
  expect(payload.events).toEqual({ [EVENT]: {} })
  expect(payload).not.toHaveProperty('nonce')
  expect(Number(payload.exp) - Number(payload.iat)).toBeLessThanOrEqual(120)
  return payload
}

const logouts = async (client_id: string) => (await acme.call(clients.logouts, { params: { client_id } })).body.items

test('discovery says that clients get notices, which name their sessions', async () => {
  const { body } = await local.call(oauth.openidConfiguration)

  expect(body).toMatchObject({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  })
})

test('signing out in a browser sends its clients the session that has ended, and leaves those of other browsers', async () => {
  const { client_id, config } = await connected({ backchannel_logout_session_required: true })
  for (const scope of ['openid', 'openid offline_access']) {
    app.deliveries.length = 0
    const asked = await authorizationRequest(config, { scope })
    const browser = new Browser(local.appUrl)
    const { id_token = '' } = await exchange(config, await agree(browser, asked.url, ada), asked)

    await browser.submit(await browser.open(`${local.appUrl}/oauth/logout`), { logout: 'yes' })

    const { sid } = claimsOf(id_token)
    expect(sid).toEqual(expect.any(String))
    expect(await told(client_id)).toMatchObject([{ sub: ada.user_id, sid }])
  }
  expect(await auditedActions(acme)).toContain('session.revoked')
})

test('a client that does not distinguish sessions gets one notice for all of them, without a name', async () => {
  const { client_id, config } = await connected()
  await authorized(local, config, ada)

  expect((await owner.call(users.deleteSessions, { params: { id: ada.user_id } })).status).toBe(204)

  const [token, ...others] = await told(client_id)
  expect(token).toMatchObject({ sub: ada.user_id })
  expect(token).not.toHaveProperty('sid')
  expect(others).toEqual([])
  expect(await logouts(client_id)).toMatchObject([{ user_id: ada.user_id, status: 'delivered', attempts: 1 }])
})

test('a client with more than fifty sessions of a person gets a notice that names none, though it distinguishes them', async () => {
  const { client_id } = await connected({ backchannel_logout_session_required: true })
  const table = openTable()
  const [grant] = await grantsOf(systemContext({ tenant_id: acme.tenant_id, mode: 'live' }), ada.user_id)
  if (!grant) throw new Error('no grant')
  const more = Array.from({ length: 50 }, (_, n) => artefacts.insert({ ...grant, hash: `${grant.hash}${n}` }))
  await table.commit(more)

  expect((await owner.call(users.deleteSessions, { params: { id: ada.user_id } })).status).toBe(204)

  const [token, ...others] = await told(client_id)
  expect(token).toMatchObject({ sub: ada.user_id })
  expect(token).not.toHaveProperty('sid')
  expect(others).toEqual([])
})

test.each<[string, (client_id: string) => Promise<unknown>]>([
  ['suspension', () => owner.call(users.update, { params: { id: ada.user_id }, body: { status: 'suspended' } })],
  ['removal', () => owner.call(users.delete, { params: { id: ada.user_id } })],
  ['a directory that disables the account', () => disabledByDirectory()],
  ['ending the connection', (client_id) => ada.call(auth.disconnectApplication, { params: { client_id } })],
  [
    'revoking credentials',
    () => owner.call(users.revokeCredentials, { params: { id: ada.user_id }, body: { kinds: ['oauth_grants'] } }),
  ],
])('%s tells the clients with a grant of the person, and no others', async (_, end) => {
  const { client_id } = await connected()
  const uninvolved = await newApp()

  expect(await end(client_id)).toMatchObject({ status: expect.toBeOneOf([200, 204]) })

  expect(await told(client_id)).toMatchObject([{ sub: ada.user_id }])
  expect(await logouts(uninvolved.client_id)).toEqual([])
})

async function disabledByDirectory() {
  const key = await makeKey(acme, { scopes: ['admin'] })
  return local.call(scim.patchUser, {
    key,
    params: { id: ada.user_id },
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', value: { active: false } }],
    },
  })
}

test('a client that revokes its own token gets no notice', async () => {
  const { client_id, config, tokens } = await connected()

  await client.tokenRevocation(config, tokens.refresh_token ?? '')

  expect(await told(client_id)).toEqual([])
})

test('what fails is sent again with a new token, and a redirect is not followed', async () => {
  const { client_id } = await connected()
  app.answer(500, 302, 200)
  await ada.call(auth.disconnectApplication, { params: { client_id } })

  await local.drain()
  expect(await logouts(client_id)).toMatchObject([{ status: 'retrying', attempts: 1, status_code: 500 }])
  await local.advance(5_000)
  expect(await logouts(client_id)).toMatchObject([{ status: 'retrying', attempts: 2, status_code: 302 }])
  await local.advance(30_000)

  expect(await logouts(client_id)).toMatchObject([{ status: 'delivered', attempts: 3, status_code: 200 }])
  expect(app.deliveries).toHaveLength(3)
  const bodies = new Set(app.deliveries.map(({ body }) => body.toString()))
  expect(bodies.size).toBe(3)
})

test('after eight failures it is given up, which the audit log shows', async () => {
  const { client_id } = await connected()
  await app.stop()
  await ada.call(auth.disconnectApplication, { params: { client_id } })

  await local.drain()
  for (const seconds of [5, 30, 120, 600, 1_800, 3_600, 7_200]) await local.advance(seconds * 1_000)

  expect(await logouts(client_id)).toMatchObject([
    { status: 'failed', attempts: 8, status_code: null, error_class: 'connection_refused' },
  ])
  expect(await auditedActions(acme)).toContain('oauth_client.logout_undelivered')
})

test('a changed address is the one that is called, and a removed one is not', async () => {
  const later = await startReceiver()
  const { client_id } = await connected({ backchannel_logout_session_required: true })
  const change = (backchannel_logout_uri: string | null, over: object = {}) =>
    acme.call(clients.update, { params: { client_id }, body: { backchannel_logout_uri, ...over } })
  expect((await change(null)).status).toBe(422) // the sessions could not be told any more
  expect((await change(later.url)).body).toMatchObject({ backchannel_logout_uri: later.url })
  await owner.call(users.deleteSessions, { params: { id: ada.user_id } })
  await local.drain()
  expect([app.deliveries.length, later.deliveries.length]).toEqual([0, 1])

  local.clock.moveTo(local.clock.now() + 60_000)
  await authorized(local, await discovered(local, { client_id }), ada)
  expect((await change(null, { backchannel_logout_session_required: false })).status).toBe(200)
  await owner.call(users.deleteSessions, { params: { id: ada.user_id } })
  await local.drain()
  expect(later.deliveries).toHaveLength(1)
  await later.stop()
})

test('an address that was written into the table is not called', async () => {
  const forged = await startReceiver()
  const { client_id } = await connected()
  const table = openTable()
  const row = await findClient(table, client_id)
  if (!row) throw new Error('no client')
  await table.commit([oauthClients.replace({ ...row, backchannel_logout_uri: forged.url }, row)])
  await ada.call(auth.disconnectApplication, { params: { client_id } })

  expect(await told(client_id)).toHaveLength(1)
  expect(forged.deliveries).toEqual([])
  await forged.stop()
})

test('an address that was sealed for another client is not called', async () => {
  const elsewhere = await startReceiver()
  const [{ client_id }, other] = [await connected(), await newApp({ backchannel_logout_uri: elsewhere.url })]
  const table = openTable()
  const [row, donor] = await Promise.all([findClient(table, client_id), findClient(table, other.client_id)])
  if (!row || !donor) throw new Error('no client')
  await table.commit([oauthClients.replace({ ...row, sealed_logout_uri: donor.sealed_logout_uri }, row)])
  await ada.call(auth.disconnectApplication, { params: { client_id } })
  await local.drain()

  expect([...app.deliveries, ...elsewhere.deliveries]).toEqual([])
  await elsewhere.stop()
})
