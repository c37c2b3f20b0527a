import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { connectors } from '../../../shared/deliver/integrations/connector.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let provider: TestTarget
let acme: Governed
beforeEach(async () => {
  provider = await startTarget()
  acme = await governed(local)
})
afterEach(() => provider.stop())

const params = { id: 'notes' }
const openapi = JSON.stringify({
  openapi: '3.1.0',
  paths: {
    '/notes/{id}': {
      get: { operationId: 'getNote', tags: ['notes'] },
      delete: { operationId: 'dropNote', tags: ['notes'] },
    },
  },
})
const create = (body: object = {}) =>
  acme.call(integrations.createConnector, {
    body: {
      id: 'notes',
      name: 'Notes',
      base_url: new URL('/v1', provider.url).href,
      auth: { type: 'bearer' },
      openapi,
      ...body,
    },
  })
const connect = (credentials: object = { token: 'canary-credential' }) =>
  acme.call(integrations.completeAuth, { params, body: { credentials } })
const publish = (body: object = {}) => acme.call(integrations.publish, { params, body })
const shown = async () => bodyOf(await acme.call(integrations.getConnector, { params }), 200)
const read = () => acme.execute('get_note', { node_id: 'integration.notes.notes', payload: { path: { id: '7' } } })

describe('an API of the tenant', () => {
  test('is added, connected, published and called under governance', async () => {
    expect(bodyOf(await create(), 201)).toMatchObject({
      id: 'notes',
      status: 'available',
      actions_count: 2,
      connection: null,
    })
    const told = await acme.told(() => connect())
    expect(told.map(({ type }) => type)).toContain('integration.connected')
    expect(await shown()).toMatchObject({ status: 'active', connection: { id: expect.stringMatching(/^con_/) } })
    expect(JSON.stringify([told, await shown()])).not.toContain('canary-credential')
    const preview = bodyOf(await acme.call(integrations.getManifest, { params }), 200)
    expect(preview.actions).toMatchObject([{ operation: 'GET /notes/{id}', tier: 'AUTO' }, { tier: 'HARD' }])
    const { document_sha256 } = preview
    expect(bodyOf(await publish({ document_sha256 }), 201).nodes).toEqual([
      { node_id: 'integration.notes.notes', version: '1.0.0', actions: 2, status: 'registered' },
    ])
    provider.next(json(200, { text: 'hello' }))
    expect(bodyOf(await read(), 200).result.output).toEqual({ text: 'hello' })
    expect(provider.calls).toMatchObject([{ method: 'GET', path: '/v1/notes/7' }])
    expect(provider.calls[0]?.headers.authorization).toBe('Bearer canary-credential')
  })

  test('whose credential is refused must be connected again', async () => {
    bodyOf(await create({ auth: { type: 'api_key', header: 'X-Key' } }), 201)
    bodyOf(await publish(), 201)
    expect(bodyOf(await read(), 502)).toMatchObject({ error: { code: 'connection_inactive' } })
    bodyOf(await connect({ key: 'first' }), 200)
    const { id } = (await shown()).connection
    provider.next(json(401, {}))
    expect(bodyOf(await read(), 502)).toMatchObject({ error: { http_status: 401 } })
    expect(await shown()).toMatchObject({ status: 'needs_reauth' })
    expect(bodyOf(await read(), 502)).toMatchObject({ error: { code: 'connection_inactive' } })
    expect(bodyOf(await connect({ key: 'second' }), 200)).toMatchObject({ connection_id: id })
    bodyOf(await read(), 200)
    expect(provider.calls.map(({ headers }) => headers['x-key'])).toEqual(['first', 'second'])
  })

  test('whose credential is refused to many calls at once fails each of them, and is told once', async () => {
    bodyOf(await create({ auth: { type: 'bearer' } }), 201)
    bodyOf(await publish(), 201)
    bodyOf(await connect({ token: 'old' }), 200)
    const count = 5
    provider.next(...Array.from({ length: count }, () => json(401, {})))
    const replies = await Promise.all(Array.from({ length: count }, () => read()))

    expect(replies.map(({ status, body }) => [status, body.status])).toEqual(
      Array.from({ length: count }, () => [502, 'failed']),
    )
    expect(await shown()).toMatchObject({ status: 'needs_reauth' })
  })

  test('that is disconnected is not called', async () => {
    bodyOf(await create({ auth: { type: 'basic' } }), 201)
    bodyOf(await publish(), 201)
    const off = () => acme.call(integrations.disconnect, { params, body: { reason: 'done' } })
    expect((await off()).status).toBe(409)
    bodyOf(await connect({ username: 'u', password: 'p' }), 200)
    bodyOf(await read(), 200)
    expect(provider.calls[0]?.headers.authorization).toBe('Basic dTpw')
    const told = await acme.told(off)
    expect(told.map(({ type }) => type)).toContain('integration.disconnected')
    expect(bodyOf(await read(), 502)).toMatchObject({ error: { code: 'connection_inactive' } })
    expect(provider.calls).toHaveLength(1)
  })

  test('whose address was rewritten in the table gets no credential', async () => {
    bodyOf(await create(), 201)
    bodyOf(await publish(), 201)
    bodyOf(await connect(), 200)
    const stored = await acme.ctx.table.get(connectors, { ...acme.ctx.space, ...params })
    if (!stored) throw new Error('no connector')
    await acme.ctx.table.commit([
      connectors.replace({ ...stored, base_url: new URL('/other', provider.url).href }, stored),
    ])
    expect(bodyOf(await read(), 502)).toMatchObject({ error: { code: 'connection_inactive' } })
    expect(provider.calls).toEqual([])
  })
})

describe('what is refused', () => {
  test.for([
    [{ id: 'Notes' }, 'id'],
    [{ base_url: 'https://10.0.0.1/' }, 'base_url'],
    [{ base_url: 'https://user:secret@example.com/' }, 'base_url'],
    [{ base_url: 'https://example.com/?a=b' }, 'base_url'],
    [{ auth: { type: 'api_key' } }, 'header'],
    [{ auth: { type: 'api_key', header: 'Host' } }, 'header'],
    [{ auth: { type: 'none', header: 'X-Key' } }, 'header'],
    [{ openapi: '{"swagger":"2.0"}' }, 'openapi'],
    [{ openapi: 'a: [' }, 'openapi'],
  ] as const)('%j', async ([body, member]) => {
    const reply = await create(body)
    expect([400, 422]).toContain(reply.status)
    expect(JSON.stringify(reply.body)).toContain(member)
  })

  test('an id that is taken, and the twenty-first', async () => {
    bodyOf(await create(), 201)
    expect((await create()).status).toBe(409)
    for (let n = 1; n < 20; n += 1) bodyOf(await create({ id: `notes-${n}` }), 201)
    expect((await create({ id: 'one-more' })).status).toBe(409)
  })

  test('credentials that are not those of the connector', async () => {
    bodyOf(await create(), 201)
    for (const credentials of [{}, { key: 'a' }, { token: 'a', key: 'b' }, { token: 'a\r\nb' }])
      expect([400, 422]).toContain((await connect(credentials)).status)
  })

  test('another document than was seen, an unknown group, and nothing new', async () => {
    bodyOf(await create(), 201)
    expect((await publish({ document_sha256: 'other' })).status).toBe(409)
    expect((await publish({ groups: ['other'] })).status).toBe(422)
    expect((await acme.call(integrations.getManifest, { params, query: { group: 'other' } })).status).toBe(422)
    bodyOf(await publish(), 201)
    expect((await publish()).status).toBe(409)
  })
})
