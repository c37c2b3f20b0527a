import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import '../../../functions/effects.ts' // first, so that it does not take the place of what is registered here
import type { Mode } from '../../../shared/base/context.ts'
import { Failure } from '../../../shared/base/lib/failure.ts'
import type { OpenConnection, OpenConnections } from '../../../shared/base/ports/effects.ts'
import { convert } from '../../../shared/deliver/integrations/openapi/convert.ts'
import { readDocument } from '../../../shared/deliver/integrations/openapi/read-document.ts'
import { registerConnections } from '../../../shared/govern/executions/connections.ts'
import { registerManifest } from '../../../shared/govern/protocol/register-manifest.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { measured } from '../../support/measures.ts'
import { json, reset, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const NODE = 'integration.tool.notes'
const string = { type: 'string' }
const form = { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } }
const DOCUMENT = {
  openapi: '3.1.0',
  paths: {
    '/notes/{id}': {
      get: {
        operationId: 'getNote',
        tags: ['notes'],
        parameters: [{ name: 'full', in: 'query', schema: { type: 'boolean' } }],
      },
      put: {
        operationId: 'updateNote',
        tags: ['notes'],
        parameters: [{ name: 'X-Credential', in: 'header', schema: string }],
        requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { text: string } } } } },
      },
      delete: { operationId: 'dropNote', tags: ['notes'] },
    },
    '/notes': { post: { operationId: 'createNote', tags: ['notes'], requestBody: form } },
  },
}

const local = useLocalStack()
let provider: TestTarget
let opened: string[]
let connection: OpenConnection | undefined
let events: string[]
let open: OpenConnections

let before: OpenConnections
beforeEach(async () => {
  provider = await startTarget()
  opened = []
  events = []
  const header = (token: string) => ({ 'x-credential': token })
  connection = {
    base_url: new URL('/v1', provider.url).href,
    headers: header('first'),
    isError: (answer) => typeof answer === 'object' && answer !== null && 'ok' in answer && answer['ok'] === false,
    renewed: async () => (events.push('renewed'), header('second')),
    refused: async () => void events.push('refused'),
  }
  open = async (_, id) => (opened.push(id), connection)
  before = registerConnections((ctx, id) => open(ctx, id))
})
afterEach(async () => {
  registerConnections(before)
  await provider.stop()
})

async function published(mode: Mode = 'live', base = provider.url): Promise<Governed> {
  const acme = await governed(local, undefined, { mode })
  const { operations } = convert(await readDocument(JSON.stringify(DOCUMENT)), 'tool', base)
  const node = { id: NODE, name: 'Notes', version: '1.0.0', endpoints: operations.map(({ endpoint }) => endpoint) }
  await registerManifest(acme.ctx, {
    manifest: { protocol_version: '1.0', node },
    registry: { listing_tier: 'development', rotate_signing_secret: false },
  })
  return acme
}

const run = (acme: Governed, action_id: string, payload: object) => acme.execute(action_id, { node_id: NODE, payload })
const reading = (acme: Governed, id = 'n 1') => run(acme, 'get_note', { path: { id }, query: { full: true } })
const creating = (acme: Governed) => run(acme, 'create_note', { body: { text: 'a&b' } })

describe('an action that runs through a connection', () => {
  test('calls no other host than was published, whatever the connection says by then', async () => {
    const acme = await published('live', 'https://api.example.com/v1')

    const { status, body } = await reading(acme)

    expect({ status, error: body.error }).toEqual({ status: 502, error: { code: 'target_refused' } })
    expect(provider.calls).toEqual([])
  })

  test('shows its approver the operation and the host', async () => {
    const acme = await published()
    const { host } = new URL(provider.url)
    const { approval } = bodyOf(await run(acme, 'drop_note', { path: { id: '1' } }), 202)

    expect(await acme.approval(approval.id)).toMatchObject({
      target: `DELETE ${host} /notes/{id}`,
      binding: { v: 2, target: { method: 'DELETE', host, path: '/notes/{id}' } },
    })
  })

  test('calls the operation as its document says, and nothing else', async () => {
    const acme = await published()
    provider.next(json(200, { id: 'n 1', usage: { input_tokens: 5, output_tokens: 6 } }))
    const { status, body } = await reading(acme)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'executed', result: { output: { id: 'n 1' } } })
    expect(opened).toEqual(['tool'])
    const [call] = provider.calls
    expect(provider.calls).toHaveLength(1)
    expect(call).toMatchObject({ method: 'GET', path: '/v1/notes/n%201?full=true', text: '' })
    expect(call?.headers).toMatchObject({ 'x-credential': 'first', 'idempotency-key': body.receipt.request_id })
    expect(Object.keys(call?.headers ?? {}).filter((name) => /webhook|service|trace|tenant/.test(name))).toEqual([])
  })

  test('takes no credential from a payload', async () => {
    const acme = await published()
    const payload = { path: { id: '1' }, header: { 'X-Credential': 'mine' }, body: { text: 'x' } }
    expect((await run(acme, 'update_note', payload)).status).toBe(200)
    expect(provider.calls[0]).toMatchObject({ method: 'PUT', path: '/v1/notes/1', body: { text: 'x' } })
    expect(provider.calls[0]?.headers['x-credential']).toBe('first')
  })

  test('writes forms', async () => {
    const acme = await published()
    expect((await creating(acme)).status).toBe(200)
    expect(provider.calls[0]).toMatchObject({ text: 'text=a%26b' })
    expect(provider.calls[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
  })

  test.for(['..', '.', '', 'a\n'])('422 before the decision: path value %j', async (id) => {
    const acme = await published()
    const reply = await reading(acme, id)
    expect(reply.status).toBe(422)
    expect(reply.body.detail[0].loc).toEqual(['body', 'payload', 'path', 'id'])
    expect([provider.calls, opened]).toEqual([[], []])
  })

  test('a path value stays one segment', async () => {
    const acme = await published()
    expect((await reading(acme, '../../admin')).status).toBe(200)
    expect(provider.calls[0]?.path).toBe('/v1/notes/..%2F..%2Fadmin?full=true')
  })

  test('HARD waits for a person', async () => {
    const acme = await published()
    const held = bodyOf(await run(acme, 'drop_note', { path: { id: '1' } }), 202)
    expect([provider.calls, opened]).toEqual([[], []])
    bodyOf(await acme.approve(held.approval.id, { reason: 'checked' }), 200)
    expect(provider.calls).toMatchObject([{ method: 'DELETE', path: '/v1/notes/1' }])
  })

  test('test mode calls nothing', async () => {
    const acme = await published('test')
    expect(bodyOf(await reading(acme), 200)).toMatchObject({ status: 'executed' })
    expect([provider.calls, opened]).toEqual([[], []])
  })
})

test('tokens are estimated: what an answer says of some is no report', async () => {
  const acme = await published()
  await local.drain()
  provider.next(json(200, { usage: { input_tokens: 5, output_tokens: 6 } }))
  const stated = await measured(acme.ctx, async () => {
    await reading(acme)
    await local.drain()
  })
  const kinds = stated.flat().map((one) => (Array.isArray(one) ? one[0] : one))
  expect(kinds).toContain('r')
  expect(kinds).not.toContain('t')
})

describe('what a provider answers', () => {
  const failing = async (acme: Governed) => bodyOf(await creating(acme), 502)

  test('401: the credential is renewed, and the call repeated once', async () => {
    const acme = await published()
    provider.next(json(401, {}))
    const body = bodyOf(await creating(acme), 200)
    expect(body.receipt.retries).toBe(0)
    expect(provider.calls.map(({ headers }) => headers['x-credential'])).toEqual(['first', 'second'])
    expect(events).toEqual(['renewed'])
  })

  test('401 again: people must connect again', async () => {
    const acme = await published()
    provider.next(json(401, {}), json(401, {}))
    expect(await failing(acme)).toMatchObject({ status: 'failed', error: { code: 'target_status', http_status: 401 } })
    expect(events).toEqual(['renewed', 'refused'])
  })

  test('401 without anything to renew', async () => {
    const acme = await published()
    if (connection) connection = { ...connection, renewed: async () => undefined }
    provider.next(json(401, {}))
    expect(await failing(acme)).toMatchObject({ error: { http_status: 401 } })
    expect([provider.calls.length, events]).toEqual([1, ['refused']])
  })

  test('401 while nothing can be renewed: the connection stays as it is', async () => {
    const acme = await published()
    const outage = async () => {
      throw new Failure('unavailable', 'The provider does not answer.')
    }
    if (connection) connection = { ...connection, renewed: outage }
    provider.next(json(401, {}))
    expect(await failing(acme)).toMatchObject({ error: { http_status: 401 } })
    expect(events).toEqual([])
    open = outage
    expect(await failing(acme)).toMatchObject({ error: { code: 'target_unreachable' } })
  })

  test('an error with a status of success', async () => {
    const acme = await published()
    provider.next(json(200, { ok: false, error: 'not_in_channel' }))
    expect(await failing(acme)).toMatchObject({ status: 'failed', error: { code: 'provider_error' } })
  })

  test('a redirect is not followed', async () => {
    const acme = await published()
    provider.next(json(302, {}, { location: provider.url }))
    expect(await failing(acme)).toMatchObject({ error: { code: 'target_status', http_status: 302 } })
    expect(provider.calls).toHaveLength(1)
  })

  test('503 is repeated only where that is safe', async () => {
    const acme = await published()
    provider.next(json(503, {}))
    expect(await failing(acme)).toMatchObject({ error: { http_status: 503 }, receipt: { retries: 0 } })
    provider.next(json(503, {}), reset)
    expect(bodyOf(await reading(acme), 200).receipt.retries).toBe(2)
  })
})

describe('a connection that cannot be called', () => {
  test('is not called while it is not active', async () => {
    const acme = await published()
    connection = undefined
    const { status, body } = await creating(acme)
    expect([status, provider.calls]).toEqual([502, []])
    expect(body).toMatchObject({ code: 'target_failed', error: { code: 'connection_inactive' } })
  })

  test('is not called at a private address', async () => {
    const acme = await published()
    if (connection) connection = { ...connection, base_url: 'https://10.0.0.1/v1' }
    expect(bodyOf(await creating(acme), 502)).toMatchObject({ error: { code: 'target_refused' } })
  })

  test('nobody writes such a target by hand', async () => {
    const acme = await published()
    const target = {
      type: 'connection',
      connector_id: 'tool',
      method: 'GET',
      path: '/admin',
      params: [],
      url: provider.url,
    }
    expect((await acme.register([{ action_id: 'get_contact', target }], { version: '1.0.1' })).status).toBe(422)
    const node = { id: NODE, version: '1.0.1' }
    expect((await acme.register([{ action_id: 'get_note' }], node)).status).toBe(422)
  })
})
