import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { connectors } from '../../../shared/deliver/integrations/connector.ts'
import { consent } from '../../support/consent.ts'
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
    for (let n = 1; n < 19; n += 1) bodyOf(await create({ id: `notes-${n}` }), 201)
    const last = await Promise.all([1, 2, 3].map((n) => create({ id: `one-more-${n}` })))
    expect(last.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
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

describe('a change of a connector', () => {
  const change = (body: object, id = 'notes') => acme.call(integrations.updateConnector, { params: { id }, body })
  const remove = (id = 'notes') => acme.call(integrations.deleteConnector, { params: { id } })

  test('of its document has no effect until it is published', async () => {
    bodyOf(await create(), 201)
    bodyOf(await publish(), 201)
    bodyOf(await connect(), 200)
    const other = JSON.stringify({
      openapi: '3.1.0',
      paths: { '/notes': { get: { operationId: 'list', tags: ['notes'] } } },
    })
    expect(bodyOf(await change({ openapi: other, purpose: 'support' }), 200)).toMatchObject({
      actions_count: 1,
      purpose: 'support',
      published: [{ node_id: 'integration.notes.notes', version: '1.0.0' }],
    })
    bodyOf(await read(), 200)
    expect(bodyOf(await publish(), 201).nodes).toMatchObject([{ version: '2.0.0' }])
    expect((await read()).status).toBe(404)
  })

  test('of where its credential goes waits until it is disconnected', async () => {
    bodyOf(await create(), 201)
    bodyOf(await connect(), 200)
    const base_url = new URL('/v2', provider.url).href
    expect((await change({ base_url })).status).toBe(409)
    expect((await change({ auth: { type: 'none' } })).status).toBe(409)
    expect((await remove()).status).toBe(409)
    bodyOf(await acme.call(integrations.disconnect, { params, body: {} }), 200)
    expect(bodyOf(await change({ base_url }), 200)).toMatchObject({ base_url, status: 'disconnected' })
    expect((await remove()).status).toBe(204)
    expect((await acme.call(integrations.getConnector, { params })).status).toBe(404)
  })

  test('reads the document at an address', async () => {
    provider.next(json(200, JSON.parse(openapi)))
    const openapi_url = new URL('/openapi.json', provider.url).href
    expect(bodyOf(await create({ openapi: null, openapi_url }), 201)).toMatchObject({
      actions_count: 2,
      openapi: { url: openapi_url },
    })
    for (const bad of ['https://10.0.0.1/openapi.json', new URL('/missing', provider.url).href]) {
      provider.next(json(404, {}))
      expect((await change({ openapi_url: bad })).status).toBe(422)
    }
    expect((await create({ id: 'other', openapi_url })).status).toBe(422)
  })

  test('at its address is seen before it is taken over', async () => {
    const preview = (refresh: string) => acme.call(integrations.getManifest, { params, query: { refresh } })
    provider.next(json(200, JSON.parse(openapi)))
    const openapi_url = new URL('/openapi.json', provider.url).href
    bodyOf(await create({ openapi: null, openapi_url }), 201)
    const { document_sha256 } = bodyOf(await preview('false'), 200)
    provider.next(json(200, { openapi: '3.1.0', paths: { '/teams': { get: { tags: ['teams'] } } } }))
    const there = bodyOf(await preview('true'), 200)
    expect(there.groups).toMatchObject([{ group: 'teams' }])
    expect((await publish({ document_sha256: there.document_sha256 })).status).toBe(409)
    expect(bodyOf(await preview('false'), 200)).toMatchObject({ document_sha256 })
    expect((await preview('perhaps')).status).toBe(400)
    provider.next(json(404, {}))
    const gone = bodyOf(await preview('true'), 422)
    expect(gone.detail).toMatchObject([{ loc: ['query', 'refresh'], msg: expect.stringContaining('status 404') }])
    bodyOf(await create({ id: 'given' }), 201)
    const given = await acme.call(integrations.getManifest, { params: { id: 'given' }, query: { refresh: 'true' } })
    expect(given.status).toBe(422)
  })

  test('of the catalogue sets what a tenant may set', async () => {
    const github = 'github'
    expect((await change({ base_url: 'https://example.com' }, github)).status).toBe(422)
    expect((await change({ client_id: 'ours' }, github)).status).toBe(422)
    const set = { client_id: 'ours', client_secret: 'canary-secret', scopes_required: ['repo'], purpose: 'issues' }
    const answer = await change(set, github)
    expect(bodyOf(answer, 200)).toMatchObject({
      auth: { client_id: 'ours' },
      scopes_required: ['repo'],
      purpose: 'issues',
    })
    expect(JSON.stringify(answer.body)).not.toContain('canary-secret')
    const { auth_url } = bodyOf(await acme.call(integrations.startAuth, { params: { id: github }, body: {} }), 200)
    expect(auth_url).toMatch('https://github.com/login/oauth/authorize?')
    expect(new URL(auth_url).searchParams.get('client_id')).toBe('ours')
    expect((await remove(github)).status).toBe(409)
  })

  test('gives the client back to the operator; one of your own keeps its client', async () => {
    bodyOf(await change({ client_id: 'ours', client_secret: 'canary-secret', purpose: 'issues' }, 'github'), 200)
    expect((await change({ client_id: null, client_secret: 'canary-secret' }, 'github')).status).toBe(422)
    const back = bodyOf(await change({ client_id: null }, 'github'), 200)
    expect(back).toMatchObject({ purpose: 'issues', auth: expect.not.objectContaining({ client_id: 'ours' }) })
    const start = await acme.call(integrations.startAuth, { params: { id: 'github' }, body: {} })
    expect(bodyOf(start, 200).auth_url).toMatch(local.connect.url)
    bodyOf(await create({ id: 'given' }), 201)
    expect((await change({ client_id: null }, 'given')).status).toBe(422)
  })
})

describe('an API of the tenant with OAuth', () => {
  const oauth = () => ({
    type: 'oauth2',
    authorization_url: `${local.connect.url}/own/authorize`,
    token_url: `${local.connect.url}/own/token`,
    revoke_url: `${local.connect.url}/own/revoke`,
    client_id: 'countersign-local',
    client_secret: 'local-client-secret',
  })

  test('is connected through its consent page, and its secret is never shown', async () => {
    const made = await create({ auth: oauth() })
    expect(bodyOf(made, 201)).toMatchObject({ auth: { type: 'oauth2', client_id: 'countersign-local' } })
    expect((await connect()).status).toBe(422)
    const { auth_url } = bodyOf(await acme.call(integrations.startAuth, { params, body: { scopes: ['read'] } }), 200)
    const { code, state } = await consent(auth_url)
    const complete = await acme.call(integrations.completeAuth, { params, body: { code, state } })
    expect(bodyOf(complete, 200)).toMatchObject({ status: 'active', scopes_granted: ['read'] })
    bodyOf(await publish(), 201)
    bodyOf(await read(), 200)
    expect(provider.calls[0]?.headers.authorization).toMatch(/^Bearer access_/)
    expect(JSON.stringify([made.body, complete.body, await shown()])).not.toMatch(/local-client-secret|access_/)
  })

  test('whose token address was rewritten in the table gets neither secret nor tokens', async () => {
    bodyOf(await create({ auth: oauth() }), 201)
    const stored = await acme.ctx.table.get(connectors, { ...acme.ctx.space, ...params })
    if (!stored) throw new Error('no connector')
    const auth = { ...stored.auth, token_url: new URL('/steal', provider.url).href }
    await acme.ctx.table.commit([connectors.replace({ ...stored, auth }, stored)])
    expect(await acme.call(integrations.startAuth, { params, body: {} })).toMatchObject({
      status: 409,
      body: { code: 'connector_not_configured' },
    })
    expect(provider.calls).toEqual([])
  })

  test.for([
    { authorization_url: null },
    { token_url: 'https://10.0.0.1/token' },
    { authorization_url: 'javascript:alert(1)' },
    { authorization_url: 'http://tools.example/authorize' },
    { client_secret: null },
    { header: 'X-Key' },
  ])('422 with %j', async (wrong) => {
    expect((await create({ auth: { ...oauth(), ...wrong } })).status).toBe(422)
  })
})
