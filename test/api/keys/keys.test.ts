import { beforeEach, describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { scim } from '../../../functions/scim/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { showFactor } from '../../support/factors.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { freshAddress, personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY = 86_400_000

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeEach(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
})

const ask = { name: 'CI', kind: 'live', scopes: ['governance:read'] }
const create = (change: object = {}, headers = {}) => owner.call(keys.create, { body: { ...ask, ...change }, headers })
const read = (key: string) => local.call(protocol.listManifests, { key })

describe('POST /api/v1/api-keys', () => {
  test('201: shows the key here and never again', async () => {
    const reply = await create({ expires_in_days: 30, agent_id: 'agt_ci' })

    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    const { key, ...view } = reply.body
    expect(key).toMatch(/^ak_live_[0-9A-Za-z]{39}$/)
    expect(view).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
      name: 'CI',
      kind: 'live',
      scopes: ['governance:read'],
      hint: key.slice(0, 12),
      service: false,
      agent_id: 'agt_ci',
      status: 'active',
      created_by: owner.user_id,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      last_used_at: null,
      replaces: null,
      transferred_at: null,
    })
    expect(Date.parse(view.expires_at) - Date.parse(view.created_at)).toBe(30 * DAY)
    expect(reply.headers.location).toBe(`/api/v1/api-keys/${view.id}`)
    expect((await read(key)).status).toBe(200)
    const { body: shown } = await owner.call(keys.get, { params: { id: view.id } })
    expect(shown).toEqual({ ...view, last_used_at: expect.any(String), creator_status: 'active' })
  })

  test('201: lives 90 days unless the request says otherwise', async () => {
    const { body } = await create()

    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(90 * DAY)
  })

  test('201: a repeat with the same Idempotency-Key is the same key', async () => {
    const [first, again] = [
      await create({}, { 'idempotency-key': 'once' }),
      await create({}, { 'idempotency-key': 'once' }),
    ]

    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } })
    expect((await owner.call(keys.list)).body.total).toBe(4) // three that the tenant was founded with
  })

  test('409: a repeat by somebody else does not show them the key', async () => {
    const developer = await personWith(local, owner, ['developer'])
    const headers = { 'idempotency-key': 'once' }
    const body = { ...ask, scopes: ['admin'] }
    await showFactor(local, owner)
    const { body: made } = await create(body, headers)

    const theirs = await developer.call(keys.create, { body, headers })
    expect(theirs).toMatchObject({ status: 409, body: { code: 'key_in_use' } })
    expect(JSON.stringify(theirs.body)).not.toContain(made.id)
  })

  test('403: who has not verified their address makes no key', async () => {
    const email = freshAddress()
    await local.call(auth.register, { body: { email, password: PASSWORD } })
    const founder = await signIn(local, { email })
    const makes = (scopes: string[]) => founder.call(keys.create, { body: { ...ask, scopes } })

    for (const scope of ['admin', 'governance:read']) {
      expect(await makes([scope])).toMatchObject({ status: 403, body: { code: 'address_unverified' } })
    }
  })

  test.each([
    ['an unknown scope', { scopes: ['everything'] }, ['body', 'scopes', 0]],
    ['no scope', { scopes: [] }, ['body', 'scopes']],
    ['a longer life than 90 days', { expires_in_days: 91 }, ['body', 'expires_in_days']],
    ['no life', { expires_in_days: 0 }, ['body', 'expires_in_days']],
    ['another kind', { kind: 'prod' }, ['body', 'kind']],
    ['a name of 81 characters', { name: 'x'.repeat(81) }, ['body', 'name']],
    ['an agent whose id cannot be one', { agent_id: 'a b' }, ['body', 'agent_id']],
    ['a field of its own', { cap: ['protocol:write'] }, ['body', 'cap']],
  ])('422: refuses %s', async (_, change, loc) => {
    const { status, body } = await create(change)

    expect(status).toBe(422)
    expect(body.detail.map((violation: { loc: unknown }) => violation.loc)).toContainEqual(loc)
  })

  test('403: keys make no keys, with any scopes', async () => {
    for (const key of [acme.live_key, acme.test_key]) {
      expect((await local.call(keys.create, { key, body: ask })).status).toBe(403)
    }
  })

  test('403: what an administrator is denied, no key of theirs does through a directory', async () => {
    const admin = await personWith(local, owner, ['admin'])
    const denied = { roles: ['admin'], denies: ['users:write'] }
    await owner.call(users.setRoles, { params: { id: admin.user_id }, body: denied })
    await showFactor(local, admin)
    const { body: key } = await admin.call(keys.create, { body: { ...ask, scopes: ['admin'] } })
    const hire = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: freshAddress() }

    expect((await local.call(users.list, { key: key.key })).status).toBe(200)
    expect((await local.call(scim.createUser, { key: key.key, body: hire })).status).toBe(403)
    expect((await acme.call(scim.createUser, { body: hire })).status).toBe(201)
  })

  test('403: gives nobody the scope that only administrators give', async () => {
    const approver = await signIn(local, acme.approver)

    expect((await approver.call(keys.create, { body: ask })).status).toBe(403)
  })
})

describe('GET /api/v1/api-keys', () => {
  test('200: filters by status, kind and creator', async () => {
    const { body: sandbox } = await create({ kind: 'test' })
    const { body: ended } = await create()
    await owner.call(keys.revoke, { params: { id: ended.id }, body: {} })
    const ids = async (query: Record<string, string>) =>
      (await owner.call(keys.list, { query })).body.items.map(({ id }: { id: string }) => id)

    expect(await ids({ status: 'revoked' })).toEqual([ended.id])
    expect(await ids({ kind: 'test' })).toContain(sandbox.id)
    expect(await ids({ kind: 'test' })).not.toContain(ended.id)
    expect(await ids({ created_by: acme.approver.id })).toHaveLength(1)
  })

  test('200: a key with scope admin sees them, a sandbox key does not', async () => {
    expect((await acme.call(keys.list)).body.total).toBe(3)
    expect(await acme.as('sandbox').call(keys.list)).toMatchObject({ status: 403 })
  })
})

describe('rotation', () => {
  test('both keys work until the former one is revoked', async () => {
    const { body: was } = await create()
    const { status, body: fresh } = await owner.call(keys.rotate, { params: { id: was.id }, body: {} })

    expect(status).toBe(201)
    expect(fresh).toMatchObject({ name: 'CI', scopes: ask.scopes, replaces: was.id, key: expect.any(String) })
    expect((await read(was.key)).status).toBe(200)
    expect((await read(fresh.key)).status).toBe(200)
    await owner.call(keys.revoke, { params: { id: was.id }, body: {} })
    expect((await read(was.key)).status).toBe(401)
    expect((await read(fresh.key)).status).toBe(200)
  })
})

describe('POST /api/v1/api-keys/{id}/revoke', () => {
  test('200: works at the next request, and answers the same when it is asked again', async () => {
    const { body: made } = await create()
    const revoke = () => owner.call(keys.revoke, { params: { id: made.id }, body: {} })
    const [first, again] = [await revoke(), await revoke()]

    expect(first).toMatchObject({ status: 200, body: { status: 'revoked' } })
    expect(again).toMatchObject({ status: 200, body: first.body })
    expect((await read(made.key)).status).toBe(401)
  })
})

test('PATCH /api/v1/api-keys/{id} changes the name', async () => {
  const { body: made } = await create()
  const reply = await owner.call(keys.update, { params: { id: made.id }, body: { name: 'Nightly' } })

  expect(reply).toMatchObject({ status: 200, body: { id: made.id, name: 'Nightly' } })
})
