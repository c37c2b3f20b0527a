// Whom an Idempotency-Key answers: who sent it first, also with a rotated key, and nobody else.
import * as client from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { manifest } from '../../support/any-route.ts'
import type { Reply } from '../../support/call.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
import { showFactor } from '../../support/factors.ts'
import { governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { modern } from '../../support/mcp.ts'
import { authorized, CODE_CLIENT, discovered, followClock, MACHINE, newClient } from '../../support/oauth.ts'
import { personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
beforeAll(async () => {
  followClock(local)
})
afterAll(() => {
  vi.restoreAllMocks()
})
beforeEach(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
  await acme.call(protocol.registerManifest, { body: { manifest: manifest() } })
})

const HEADERS = { 'idempotency-key': 'k1' }
const SCOPES = ['agent:execute']
const CALL = { node_id: 'crm.contacts.editor', action_id: 'update_contact', payload: { card: 'classified' } }
const execute = (key: string) => local.call(protocol.execute, { key, headers: HEADERS, body: CALL })
const executed = async () => (await acme.call(protocol.listExecutions)).body.items.length

function mustBeInUse(reply: Reply): void {
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 409, body: { code: 'key_in_use' } })
  expect(Object.keys(reply.body).toSorted()).toEqual(['code', 'detail', 'request_id'])
  expect(reply.headers).not.toHaveProperty('location')
  expect(reply.headers).not.toHaveProperty('idempotent-replayed')
  mustBeRefusal(reply)
}

/** A machine of the tenant, and an application that acts for the owner. */
async function tokens() {
  const scopes = [...MACHINE.scopes, ...SCOPES]
  const machine = await discovered(local, await newClient(owner, { ...MACHINE, scopes }))
  const app = await newClient(owner, { ...CODE_CLIENT, scopes: [...CODE_CLIENT.scopes, ...SCOPES] })
  const asked = { scope: `openid ${SCOPES[0]}` }
  const [{ access_token: own }, { tokens: given }] = await Promise.all([
    client.clientCredentialsGrant(machine, { scope: SCOPES.join(' ') }),
    authorized(local, await discovered(local, app), acme.owner, asked),
  ])
  return [own, given.access_token] as const
}

describe('the first answer', () => {
  test('409: is for no other key, session or application, also of the same person', async () => {
    const [machine, application] = await tokens()
    const agent = await makeKey(acme, { agent_id: 'agt_support' })
    const others = [await makeKey(acme), agent, owner.access_token, machine, application]
    expect((await execute(acme.live_key)).status).toBe(200)

    for (const other of others) mustBeInUse(await execute(other))
    expect(await executed()).toBe(1)
  })

  test('409: of a person in a session is not for their key', async () => {
    expect((await execute(owner.access_token)).status).toBe(200)
    mustBeInUse(await execute(acme.live_key))

    const later = await signIn(local, acme.owner)
    expect((await execute(later.access_token)).headers['idempotent-replayed']).toBe('true')
  })

  test('409: of an application for a person is not for that person', async () => {
    const [, application] = await tokens()
    expect((await execute(application)).status).toBe(200)
    mustBeInUse(await execute(owner.access_token))
  })

  test('409: of a tool call is not for another key', async () => {
    const it = await governed(local)
    const call = { name: 'editor_get_contact', arguments: {} }
    const first = await modern(it, 'tools/call', call, { headers: HEADERS })
    expect(first.status, JSON.stringify(first.body)).toBe(200)

    const key = await makeKey(it)
    expect(await modern(it, 'tools/call', call, { headers: HEADERS, key })).toMatchObject({
      status: 409,
      body: { error: { data: { code: 'key_in_use' } } },
    })
  })
})

describe('after the rotation of a key', () => {
  const HOOK = { name: 'Sink', url: 'https://8.8.8.8/hook', events: ['invoice.paid'] }
  beforeEach(async () => {
    await showFactor(local, owner)
  })
  const made = async () =>
    (await owner.call(keys.create, { body: { name: 'ci', kind: 'live', scopes: ['agent:execute', 'admin'] } })).body
  const rotate = async (by: SignedIn, id: string) => (await by.call(keys.rotate, { params: { id }, body: {} })).body
  const hook = (key: string) => local.call(webhooks.create, { key, headers: HEADERS, body: HOOK })

  test('a repeat still matches, also after the second', async () => {
    const was = await made()
    const first = await execute(was.key)
    const next = await rotate(owner, was.id)
    const last = await rotate(owner, next.id)

    for (const { key } of [next, last]) {
      expect(await execute(key)).toMatchObject({ status: 200, body: first.body })
    }
    expect(await executed()).toBe(1)
  })

  test('409: a secret is repeated to its maker, and not to a colleague who rotates the key', async () => {
    const was = await made()
    const { body: shown } = await hook(was.key)
    const again = await hook((await rotate(owner, was.id)).key)
    expect(again).toMatchObject({ status: 201, body: { secret: shown.secret } })

    const colleague = await showFactor(local, await personWith(local, owner, ['owner']))
    const theirs = await hook((await rotate(colleague, was.id)).key)
    expect(theirs).toMatchObject({ status: 409, body: { detail: expect.stringContaining(shown.id) } })
    expect(JSON.stringify(theirs.body)).not.toContain(shown.secret)
  })

  test('409: a secret is not for another key of the same maker', async () => {
    const { body: shown } = await hook((await made()).key)
    const theirs = await hook((await made()).key)

    mustBeInUse(theirs)
    expect(JSON.stringify(theirs.body)).not.toContain(shown.id)
  })
})
