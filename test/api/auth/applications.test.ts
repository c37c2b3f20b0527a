// Applications that a person has given access to: the list, and its end by the person or by an administrator.
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { auth } from '../../../functions/auth/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { auditedActions, authorized, CODE_CLIENT, discovered, followClock, newClient } from '../../support/oauth.ts'
import { type Person, personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
let ada: Person
beforeAll(() => {
  followClock(local)
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
  ada = await personWith(local, owner, ['admin'])
  local.clock.moveTo(local.clock.now() + 60_000) // an OAuth sign-in counts from the second after the one in which she joined
})

async function connected() {
  const { client_id } = await newClient(acme, CODE_CLIENT)
  const config = await discovered(local, { client_id })
  const [{ tokens }, other] = [await authorized(local, config, ada), await authorized(local, config, ada)]
  return { client_id, config, tokens, elsewhere: other.tokens }
}

const statusWith = async (key: string) => (await acme.as({ key }).call(approvals.list)).status
const listed = async () => (await ada.call(auth.listApplications)).body.items

test('a person sees each application once, with what it may do and when it was used', async () => {
  const { client_id, config, tokens } = await connected()
  const since = local.clock.now()
  local.clock.moveTo(since + 300_000)
  await client.refreshTokenGrant(config, tokens.refresh_token ?? '')

  const shown = await listed()
  expect(shown).toEqual([
    {
      client_id,
      name: 'Reporter',
      hosts: ['https://client.example'],
      source: 'api',
      status: 'active',
      scopes: ['email', 'governance:read', 'offline_access', 'openid', 'profile'],
      resources: [local.apiUrl],
      connected_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
    },
  ])
  const used = Date.parse(shown[0].last_used_at)
  expect(used).toBeGreaterThan(since + 299_000) // in whole seconds
  expect(used).toBeLessThanOrEqual(local.clock.now())
  expect((await owner.call(auth.listApplications)).body.items).toEqual([])
})

test('disconnecting ends the tokens of every browser at once, with evidence and an event', async () => {
  const { client_id, config, tokens, elsewhere } = await connected()
  const params = { client_id }
  expect(await statusWith(tokens.access_token)).toBe(200)

  expect((await owner.call(auth.disconnectApplication, { params })).status).toBe(404)
  expect((await ada.call(auth.disconnectApplication, { params })).status).toBe(204)
  expect((await ada.call(auth.disconnectApplication, { params })).status).toBe(404)

  expect([await statusWith(tokens.access_token), await statusWith(elsewhere.access_token)]).toEqual([401, 401])
  await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  expect(await listed()).toEqual([])
  expect((await auditedActions(acme)).filter((action) => action === 'oauth_grant.revoked')).toHaveLength(2)
  await local.drain()
  const { body } = await owner.call(events.list, { query: { types: 'user.credentials_revoked' } })
  expect(body.items).toMatchObject([{ data: { user_id: ada.user_id, oauth_grants: 2, api_keys: 0 } }])
  expect((await mailsTo(local, ada.email)).filter(({ kind }) => kind === 'application_disconnected')).toEqual([])
})

test('an administrator disconnects an application of somebody below them, who gets a mail', async () => {
  const { client_id, tokens } = await connected()
  const member = await personWith(local, owner, ['member'])
  const params = { id: ada.user_id, client_id }

  const seen = await owner.call(users.applications, { params: { id: ada.user_id } })
  expect(seen.body.items).toMatchObject([{ client_id, name: 'Reporter' }])
  expect((await member.call(users.disconnectApplication, { params })).status).toBe(403)
  expect(await statusWith(tokens.access_token)).toBe(200)
  expect((await owner.call(users.disconnectApplication, { params })).status).toBe(204)

  expect(await statusWith(tokens.access_token)).toBe(401)
  await local.drain()
  const letters = (await mailsTo(local, ada.email)).filter(({ kind }) => kind === 'application_disconnected')
  expect(letters).toMatchObject([{ subject: 'Reporter is no longer connected to your account' }])
})

test('another tenant finds neither the person nor the application', async () => {
  const { client_id } = await connected()
  const stranger = await signIn(local, (await local.tenant()).owner)

  const params = { id: ada.user_id, client_id }
  expect((await stranger.call(users.disconnectApplication, { params })).status).toBe(404)
  expect((await stranger.call(users.applications, { params: { id: ada.user_id } })).status).toBe(404)
})
