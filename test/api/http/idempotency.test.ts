// Idempotency-Key over HTTP: what one key does once, and what its repeats are told.
import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { bodyOf, manifest } from '../../support/any-route.ts'
import type { Reply } from '../../support/call.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const HOURS_24 = 86_400_000

const local = useLocalStack()
let acme: TestTenant

const NO_DELETIONS = {
  name: 'No deletions',
  effect: 'forbid',
  when: { field: 'action.kind', op: 'eq', value: 'delete' },
  message: 'never',
}

beforeEach(async () => {
  acme = await local.tenant()
  await acme.call(protocol.registerManifest, { body: { manifest: manifest() } })
})

type Sent = { key?: string; idem?: string; payload?: object }
type Action = 'get_contact' | 'update_contact' | 'delete_contact'

const execute = (action_id: Action, { key = acme.live_key, idem = 'k1', payload = { n: 1 } }: Sent = {}) =>
  local.call(protocol.execute, {
    key,
    headers: { 'idempotency-key': idem },
    body: { node_id: 'crm.contacts.editor', action_id, payload },
  })
const executed = async () => (await acme.call(protocol.listExecutions)).body.items.length
const replayed = ({ headers }: Reply) => headers['idempotent-replayed'] === 'true'

describe('the first answer again', () => {
  test.each([
    ['get_contact', 200],
    ['update_contact', 200],
    ['delete_contact', 202],
  ] as const)('%s: %d, the same body, and one execution', async (action, status) => {
    const first = await execute(action)
    local.clock.moveTo(local.clock.now() + 5_000)
    const again = await execute(action)

    expect(first.status, JSON.stringify(first.body)).toBe(status)
    expect(again).toMatchObject({ status, body: first.body })
    expect([first, again].map(replayed)).toEqual([false, true])
    expect(again.headers.location).toBe(first.headers.location)
    expect(await executed()).toBe(1)
  })

  test('a rejection is repeated, not decided again', async () => {
    const { tenant_id } = acme
    await acme.call(security.savePolicy, { params: { tenant_id }, body: NO_DELETIONS })
    const [first, again] = [await execute('delete_contact'), await execute('delete_contact')]

    expect(first).toMatchObject({ status: 403, body: { code: 'policy_rejected', status: 'rejected' } })
    expect(again).toMatchObject({ status: 403, body: first.body })
    expect(replayed(again)).toBe(true)
    expect(await executed()).toBe(1)
  })

  test('a failed target is repeated, not called again', async () => {
    const receiver = await startReceiver()
    receiver.status = 500
    const { node, ...rest } = manifest('1.1.0')
    const endpoints = node.endpoints.map((endpoint) => ({ ...endpoint, target: { type: 'http', url: receiver.url } }))
    await acme.call(protocol.registerManifest, { body: { manifest: { ...rest, node: { ...node, endpoints } } } })
    const [first, again] = [await execute('get_contact'), await execute('get_contact')]
    await receiver.stop()

    expect(first).toMatchObject({ status: 502, body: { code: 'target_failed', status: 'failed' } })
    expect(again).toMatchObject({ status: 502, body: first.body })
    expect(replayed(again)).toBe(true)
    expect(receiver.received).toHaveLength(1)
  })

  test('what happened since does not change it', async () => {
    const first = await execute('delete_contact')
    const { id } = first.body.approval
    await acme.as('approver').call(approvals.approve, { params: { id }, body: {} })

    expect((await acme.call(approvals.get, { params: { id } })).body.status).toBe('approved')
    expect(await execute('delete_contact')).toMatchObject({ status: 202, body: first.body })
  })

  test('a secret that is shown once is shown again to whoever repeats the request', async () => {
    const create = () =>
      acme.call(webhooks.create, { body: bodyOf(webhooks.create) ?? {}, headers: { 'idempotency-key': 'k1' } })
    const [first, again] = [await create(), await create()]

    expect(first.body.secret).toMatch(/^whsec_/)
    expect(again.body).toEqual(first.body)
  })

  test('with where the resource is and which version it has', async () => {
    const headers = { 'idempotency-key': 'k1' }
    const create = () => acme.call(webhooks.create, { body: bodyOf(webhooks.create) ?? {}, headers })
    const [made, madeAgain] = [await create(), await create()]
    const { id } = made.body
    const update = () => acme.call(webhooks.update, { params: { id }, body: { name: 'Other' }, headers })
    const [changed, changedAgain] = [await update(), await update()]

    expect(made.headers.location).toContain(id)
    expect(madeAgain.headers.location).toBe(made.headers.location)
    expect(changed.headers.etag).toBe('"v2"')
    expect([changedAgain.headers.etag, replayed(changedAgain)]).toEqual(['"v2"', true])
  })
})

describe('twenty requests at once with one key', () => {
  test('run one execution, and all get its response', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => execute('update_contact')))

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(replies.filter((reply) => !replayed(reply))).toHaveLength(1)
    expect(await executed()).toBe(1)
  })

  test('register one version of a node without a conflict', async () => {
    const body = { manifest: manifest('2.0.0') }
    const register = () => acme.call(protocol.registerManifest, { body, headers: { 'idempotency-key': 'k1' } })
    const replies = await Promise.all(Array.from({ length: 20 }, register))

    for (const reply of replies) {
      if (reply.status === 201) continue
      expect(reply).toMatchObject({
        status: 409,
        headers: { 'retry-after': '1' },
        body: { code: 'idempotency_in_progress' },
      })
      mustBeRefusal(reply)
    }
    expect(replies.filter((reply) => reply.status === 201 && !replayed(reply))).toHaveLength(1)
    expect(await register()).toMatchObject({ status: 201 })
    expect(
      (await acme.call(protocol.listManifestVersions, { params: { node_id: body.manifest.node.id } })).body.total,
    ).toBe(2)
  })

  test('count as one vote', async () => {
    const { body } = await execute('delete_contact')
    const { id } = body.approval
    const approve = () =>
      acme.as('approver').call(approvals.approve, { params: { id }, body: {}, headers: { 'idempotency-key': 'k1' } })
    const replies = await Promise.all(Array.from({ length: 20 }, approve))

    for (const { status, body: voted } of replies) expect([status, voted.status]).toEqual([200, 'approved'])
    expect((await acme.call(approvals.get, { params: { id } })).body.votes).toHaveLength(1)
  })
})

describe('the scope of a key', () => {
  test('another body is a 422 that names the header', async () => {
    await execute('get_contact')
    const reply = await execute('get_contact', { payload: { n: 2 } })

    expect(reply).toMatchObject({
      status: 422,
      body: {
        code: 'idempotency_mismatch',
        detail: [
          {
            loc: ['header', 'Idempotency-Key'],
            msg: 'You used this key with another request body. Send a new key.',
            type: 'idempotency_mismatch',
          },
        ],
      },
    })
    mustBeRefusal(reply)
    expect(await executed()).toBe(1)
  })

  test('another tenant, the other mode and another route know nothing of it', async () => {
    await execute('get_contact')
    const other = await local.tenant()
    for (const as of [other, acme.as('sandbox')]) {
      await as.call(protocol.registerManifest, { body: { manifest: manifest() } })
    }

    for (const key of [other.live_key, acme.test_key]) {
      const reply = await execute('get_contact', { key, payload: { n: 2 } })
      expect([reply.status, replayed(reply)]).toEqual([200, false])
    }
    const create = await acme.call(webhooks.create, {
      body: bodyOf(webhooks.create) ?? {},
      headers: { 'idempotency-key': 'k1' },
    })
    expect(create.status).toBe(201)
  })

  test('it lasts for 24 hours', async () => {
    const first = await execute('get_contact')
    local.clock.moveTo(local.clock.now() + HOURS_24 - 60_000)
    expect((await execute('get_contact')).body).toEqual(first.body)

    local.clock.moveTo(local.clock.now() + 60_001)
    const later = await execute('get_contact', { payload: { n: 2 } })
    expect([later.status, replayed(later)]).toEqual([200, false])
    expect(await executed()).toBe(2)
  })
})

describe('what leaves the key unused', () => {
  test.each([
    ['a malformed body', 400, () => ({ body: '{' })],
    ['a missing field', 400, () => ({ body: { node_id: 'crm.contacts.editor' } })],
    ['a broken rule', 422, () => ({ body: { node_id: 'x', action_id: 'get_contact', payload: {} } })],
    ['a missing credential', 401, () => ({ key: 'none' })],
    ['a missing right', 403, async () => ({ key: await makeKey(acme, { scopes: ['governance:read'] }) })],
    ['a missing node', 404, () => ({ body: { node_id: 'no.such.node', action_id: 'get_contact', payload: {} } })],
  ])('%s: %d', async (_, status, change) => {
    const body = { node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: { n: 1 } }
    const headers = { 'idempotency-key': 'k1' }
    const refused = await acme.call(protocol.execute, { body, headers, ...(await change()) })
    expect(refused.status, JSON.stringify(refused.body)).toBe(status)

    const reply = await execute('get_contact')
    expect([reply.status, replayed(reply)]).toEqual([200, false])
  })

  test('a spent window: 429', async () => {
    const small = await local.tenant({ plan: 'free' })
    await small.call(protocol.registerManifest, { body: { manifest: manifest() } })
    const flood = Array.from({ length: 30 }, (_, n) => execute('get_contact', { key: small.live_key, idem: `k${n}` }))
    const refused = (await Promise.all(flood)).findIndex(({ status }) => status === 429)
    expect(refused).toBeGreaterThanOrEqual(0)
    local.clock.moveTo(local.clock.now() + 1_000)

    const reply = await execute('get_contact', { key: small.live_key, idem: `k${refused}` })
    expect([reply.status, replayed(reply)]).toEqual([200, false])
  })

  test('a state that forbids it: 409', async () => {
    const { body } = await execute('get_contact', { idem: 'k0' })
    const undo = (idem: string) =>
      acme.call(protocol.undo, {
        params: { request_id: body.receipt.request_id },
        body: {},
        headers: { 'idempotency-key': idem },
      })
    const [first, again] = [await undo('k1'), await undo('k1')]

    expect([first.status, again.status]).toEqual([409, 409])
    expect([first, again].map(replayed)).toEqual([false, false])
  })
})

test('without the header each request is an execution of its own', async () => {
  const body = { node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: {} }
  const [first, second] = [await acme.call(protocol.execute, { body }), await acme.call(protocol.execute, { body })]

  expect(first.body.receipt.request_id).not.toBe(second.body.receipt.request_id)
  expect(await executed()).toBe(2)
})

test('a repeat counts against the rate limit', async () => {
  const [first, again] = [await execute('get_contact'), await execute('get_contact')]

  expect(Number(first.headers['x-ratelimit-remaining']) - Number(again.headers['x-ratelimit-remaining'])).toBe(1)
})
