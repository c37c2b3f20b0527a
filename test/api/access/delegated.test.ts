// What people made for others to use can do no more than they may do themselves, from the next request on.
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { showFactor } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { authorized, CALLBACK, CODE_CLIENT, discovered, followClock, MACHINE, newClient } from '../../support/oauth.ts'
import { type Person, personWith } from '../../support/people.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
let ada: Person
beforeAll(async () => {
  followClock(local)
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  acme = await local.tenant()
  owner = await ownerInPerson(local, acme)
  ada = await personWith(local, owner, ['admin'])
})

const makeKey = async (over: object = {}): Promise<string> => {
  const body = { name: 'k', kind: 'live', scopes: ['governance:read', 'evidence:read'], ...over }
  return (await ada.call(keys.create, { body })).body.key
}
const becomes = (id: string, role: string, over: object = {}) =>
  owner.call(users.setRoles, { params: { id }, body: { roles: [role], ...over } })
const statusIs = (id: string, status: 'active' | 'suspended') =>
  owner.call(users.update, { params: { id }, body: { status } })
const lists = async (key: string) => (await local.call(protocol.listManifests, { key })).status
const readsLog = async (key: string) =>
  (await local.call(security.auditLogs, { key, params: { tenant_id: acme.tenant_id } })).status
const tokenOf = async (config: client.Configuration) => (await client.clientCredentialsGrant(config)).access_token

describe('a personal key', () => {
  test('shrinks with its maker, and grows again no further than it was', async () => {
    const key = await makeKey()
    const before = await readsLog(key)
    await becomes(ada.user_id, 'member')
    const demoted = [await readsLog(key), await lists(key)]
    await becomes(ada.user_id, 'owner')

    expect([before, ...demoted, await readsLog(key)]).toEqual([200, 403, 200, 200])
    expect((await local.call(users.list, { key })).status).toBe(403)
  })

  test('heeds what is denied to its maker', async () => {
    const key = await makeKey()
    expect(await readsLog(key)).toBe(200)
    await becomes(ada.user_id, 'admin', { denies: ['audit:read'] })

    expect(await readsLog(key)).toBe(403)
  })

  test('follows a role of the tenant’s own at the next request, as its maker does', async () => {
    const body = { name: 'reader', permissions: ['audit:read', 'apikeys:write', 'protocol:read'] }
    await showFactor(local, owner)
    await owner.call(roles.create, { body })
    await becomes(ada.user_id, 'reader')
    const both = [await makeKey(), ada.access_token]
    for (const key of both) expect(await readsLog(key)).toBe(200)
    const less = { permissions: ['apikeys:write', 'protocol:read'] }
    expect((await owner.call(roles.replace, { params: { role: 'reader' }, body: less })).status).toBe(200)

    for (const key of both) expect(await readsLog(key)).toBe(403)
    for (const key of both) expect(await lists(key)).toBe(200)
  })

  test('belongs to the tenant when it was made so, and keeps what it was given', async () => {
    const key = await makeKey({ service: true })
    await becomes(ada.user_id, 'member')

    expect(await readsLog(key)).toBe(200)
  })
})

describe('an OAuth client', () => {
  const machine = { ...MACHINE, scopes: ['governance:read', 'evidence:read'] }

  test('shrinks with its maker, also with the tokens that it has', async () => {
    const config = await discovered(local, await newClient(ada, machine))
    const key = await tokenOf(config)
    expect(await readsLog(key)).toBe(200)
    await becomes(ada.user_id, 'member')

    expect([await readsLog(key), await readsLog(await tokenOf(config)), await lists(key)]).toEqual([403, 403, 200])
  })

  test('rests while its maker is suspended', async () => {
    const config = await discovered(local, await newClient(ada, machine))
    const key = await tokenOf(config)
    expect(await lists(key)).toBe(200)
    await statusIs(ada.user_id, 'suspended')
    expect(await lists(key)).toBe(401)
    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({ status: 401 })
    expect(await client.tokenIntrospection(await discovered(local, await newClient(acme, machine)), key)).toEqual({
      active: false,
    })

    await statusIs(ada.user_id, 'active')
    expect([await lists(key), await lists(await tokenOf(config))]).toEqual([200, 200])
  })

  test('does nothing for anybody else either while its maker is suspended', async () => {
    const config = await discovered(local, await newClient(ada, CODE_CLIENT))
    const { tokens } = await authorized(local, config, acme.owner)
    expect(await lists(tokens.access_token)).toBe(200)
    await statusIs(ada.user_id, 'suspended')

    expect(await lists(tokens.access_token)).toBe(401)
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ status: 401 })
  })

  test('that people are not asked about lends no more than its maker may do now', async () => {
    const wanted = { ...CODE_CLIENT, scopes: ['openid', 'governance:read', 'evidence:read'], skip_consent: true }
    const config = await discovered(local, await newClient(await showFactor(local, ada), wanted))
    const { tokens } = await authorized(local, config, acme.owner, { scope: 'openid governance:read evidence:read' })
    const before = await readsLog(tokens.access_token)
    await becomes(ada.user_id, 'member')

    expect([before, await readsLog(tokens.access_token), await lists(tokens.access_token)]).toEqual([200, 403, 200])
  })

  test('is its maker’s, also when a key of theirs makes it', async () => {
    await showFactor(local, ada)
    const key = await makeKey({ scopes: ['admin'] })
    const made = await newClient(acme.as({ key }), machine)
    expect(made).toMatchObject({ created_by: ada.user_id, service: false })
    const config = await discovered(local, made)
    await statusIs(ada.user_id, 'suspended')

    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({ status: 401 })
  })

  test('belongs to the tenant only when an owner or administrator says so', async () => {
    const ben = await personWith(local, owner, ['developer'])
    const refused = await ben.call(clients.create, { body: { ...MACHINE, service: true } })
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('client of the tenant') } })
    const config = await discovered(local, await newClient(ada, { ...machine, service: true }))
    await statusIs(ada.user_id, 'suspended')

    expect(await readsLog(await tokenOf(config))).toBe(200)
  })

  test('is given to the tenant by an administrator, not by its maker', async () => {
    const ben = await personWith(local, owner, ['developer'])
    const { client_id } = await newClient(ben, MACHINE)
    const give = (by: SignedIn) => by.call(clients.update, { params: { client_id }, body: { service: true } })

    expect((await give(ben)).status).toBe(403)
    expect(await give(ada)).toMatchObject({ status: 200, body: { service: true, created_by: ben.user_id } })
  })
})

describe('registration', () => {
  const METADATA = { redirect_uris: [CALLBACK], client_name: 'Registered', token_endpoint_auth_method: 'none' }
  const register = (key: string) => local.call(oauth.register, { key, body: METADATA })
  const token = async () =>
    (await ada.call(clients.createRegistrationToken, { body: { expires_in: 600 } })).body.token as string

  test.each([
    ['suspended', () => statusIs(ada.user_id, 'suspended')],
    ['no longer allowed to make clients', () => becomes(ada.user_id, 'member')],
  ])('with the token of somebody who is %s is refused', async (_, change) => {
    const key = await token()
    await change()

    expect(await register(key)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('of a client is managed only as long as its maker may manage clients', async () => {
    const { body } = await register(await token())
    const { client_id, registration_access_token: key } = body
    const read = () => local.call(oauth.readRegistration, { params: { client_id }, key })
    expect((await read()).status).toBe(200)
    await becomes(ada.user_id, 'member')

    expect((await read()).status).toBe(401)
    const end = await local.call(oauth.deleteRegistration, { params: { client_id }, key })
    expect(end.status).toBe(401)
  })
})

test('what belongs to the tenant is listed', async () => {
  const body = { name: 'k', kind: 'live', scopes: ['governance:read'], service: true }
  const { body: key } = await ada.call(keys.create, { body })
  const [kept, own] = [await newClient(ada, { ...MACHINE, service: true }), await newClient(ada, MACHINE)]
  const query = { service: 'true', created_by: ada.user_id }

  expect((await owner.call(keys.list, { query })).body.items).toMatchObject([{ id: key.id, service: true }])
  expect((await owner.call(clients.list, { query })).body.items).toMatchObject([{ client_id: kept.client_id }])
  const { body: theirs } = await owner.call(clients.list, { query: { service: 'false' } })
  expect(theirs.items).toMatchObject([{ client_id: own.client_id, service: false }])
})

test('a key decides nothing that its maker may not decide now', async () => {
  const approver = await personWith(local, owner, ['admin', 'approver'])
  const { body } = await approver.call(keys.create, { body: { name: 'k', kind: 'live', scopes: ['governance:write'] } })
  await becomes(approver.user_id, 'developer')

  const reply = await local.call(approvals.approve, { key: body.key, params: { id: 'apr_missing' }, body: {} })
  expect(reply).toMatchObject({ status: 403, body: { detail: expect.stringContaining('approvals:decide') } })
})
