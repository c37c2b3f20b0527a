// Hostile and broken messages: the protocol's own errors, and nothing is stored.
import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { send } from '../../support/http.ts'
import { makeKey } from '../../support/keys.ts'
import { legacy, modern, post } from '../../support/mcp.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let it: Governed
beforeAll(async () => {
  it = await governed(local)
})

/** What the gateway makes of the header in an answer of a function. */
const RENAMED = 'x-amzn-remapped-www-authenticate'
const CALL = { name: 'editor_get_contact', arguments: {} }
const message = (more: object = {}) => ({ jsonrpc: '2.0', id: 7, method: 'ping', ...more })

describe('a body', () => {
  test.each([
    ['that is no JSON', '{', 400, -32_700, null],
    ['that is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1'), 400, -32_700, null],
    ['of several messages', JSON.stringify([message(), message()]), 400, -32_600, null],
    ['without a method', { jsonrpc: '2.0', id: 7 }, 400, -32_600, 7],
    ['of another version of JSON-RPC', message({ jsonrpc: '1.0' }), 400, -32_600, 7],
    ['with the id null', message({ id: null }), 400, -32_600, null],
    ['with params that are a list', message({ params: [] }), 400, -32_600, 7],
    ['that answers a question nobody asked', { jsonrpc: '2.0', id: 7, result: {} }, 400, -32_600, 7],
    ['that is too long', message({ params: { text: 'x'.repeat(262_145) } }), 413, -32_600, null],
    [
      'that is nested too deep',
      `{"jsonrpc":"2.0","id":7,"params":${'['.repeat(40)}${']'.repeat(40)}}`,
      400,
      -32_600,
      null,
    ],
  ])('%s is refused', async (_, body, status, code, id) => {
    expect(await post(it, body)).toMatchObject({ status, body: { jsonrpc: '2.0', id, error: { code } } })
  })
})

describe('headers', () => {
  test.each([
    ['without the revision', { 'mcp-protocol-version': '2025-11-25' }],
    ['of another method', { 'mcp-method': 'tools/list' }],
    ['of another tool', { 'mcp-name': 'editor_delete_contact' }],
    ['of a name that is no base64', { 'mcp-name': '=?base64?!?=' }],
  ])('%s are refused', async (_, headers) => {
    const reply = await modern(it, 'tools/call', CALL, { headers })
    expect(reply).toMatchObject({ status: 400, body: { id: 1, error: { code: -32_020 } } })
  })

  test('may carry the name as base64', async () => {
    const headers = { 'mcp-name': `=?base64?${Buffer.from(CALL.name).toString('base64')}?=` }
    expect((await modern(it, 'tools/call', CALL, { headers })).status).toBe(200)
  })

  test('of a revision that nobody speaks here are told which ones are', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }
    const headers = { 'mcp-protocol-version': '2031-01-01' }
    for (const reply of [
      await modern(it, 'tools/list', {}, { meta, headers }),
      await legacy(it, 'ping', {}, { headers }),
    ])
      expect(reply).toMatchObject({
        status: 400,
        body: {
          error: {
            code: -32_022,
            data: { supported: expect.arrayContaining(['2026-07-28']), requested: '2031-01-01' },
          },
        },
      })
  })

  test('of the newest revision want a message that says it, too', async () => {
    const reply = await legacy(it, 'tools/list', {}, { headers: { 'mcp-protocol-version': '2026-07-28' } })
    expect(reply).toMatchObject({ status: 400, body: { error: { code: -32_602 } } })
  })
})

describe('origins and hosts', () => {
  test.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ host: 'evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example:80' }, 403],
    [{ host: 'localhost:1234' }, 200],
  ])('%j are answered %i', async (headers, status) => {
    const reply = await legacy(it, 'ping', {}, { headers })
    expect(reply.status).toBe(status)
    expect(reply.headers).not.toHaveProperty(RENAMED) // no token would change it
  })

  test('of the application are welcome', async () => {
    const headers = { origin: new URL(local.appUrl).origin }
    expect((await legacy(it, 'ping', {}, { headers })).status).toBe(200)
  })
})

describe('credentials', () => {
  const challenge = () =>
    `Bearer resource_metadata="${local.apiUrl}/.well-known/oauth-protected-resource/mcp/${it.tenant_id}", scope="agent:execute governance:read offline_access"`

  test.each([
    ['missing', {}],
    ['no bearer', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['no token', { authorization: 'Bearer nothing' }],
    ['sent twice', { authorization: ['Bearer ak_1', 'Bearer ak_2'] }],
  ])('that are %s get the challenge that leads to a token, under its own name', async (_, headers) => {
    const url = `${local.apiUrl}/mcp/${it.tenant_id}`
    const { status, headers: received, text } = await send(url, { method: 'POST', headers, body: '{}' })

    expect(status).toBe(401)
    expect(received).toMatchObject({ 'www-authenticate': challenge(), 'x-request-id': expect.any(String) })
    expect(JSON.parse(text)).toEqual({
      detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
      code: 'unauthenticated',
      request_id: received['x-request-id'],
    })
  })

  test('that look good but are not are refused by the function, whose header is renamed', async () => {
    const reply = await post({ ...it, call: local.call }, message(), { key: 'ak_live_nobody' })

    expect(reply).toMatchObject({
      status: 401,
      body: { id: 7, error: { code: -32_000, data: { code: 'unauthenticated' } } },
    })
    expect(reply.headers[RENAMED]).toBe(challenge())
  })

  test('for an id that would break a header are answered in the same way', async () => {
    const url = `${local.apiUrl}/mcp/a%0D%0AX-Evil:%201%22`
    const { status, headers } = await send(url, { method: 'POST', body: '{}' })

    expect(status).toBe(401)
    expect(headers).not.toHaveProperty('x-evil')
    expect(headers['www-authenticate']).toContain('/mcp/a%0D%0AX-Evil%3A%201%22"')
  })

  test('without the permission are told which scopes lead on', async () => {
    const reply = await post(it, message(), { key: await makeKey(it, { scopes: ['governance:read'] }) })
    expect(reply.status).toBe(403)
    expect(reply.headers[RENAMED]).toMatch(/^Bearer error="insufficient_scope", .*scope="agent:execute/)
  })

  test('of another tenant find nothing', async () => {
    const other = await local.tenant()
    const reply = await post({ call: other.call, tenant_id: it.tenant_id }, message())
    expect(reply).toMatchObject({ status: 404, body: { error: { message: 'tenant not found' } } })
  })
})

describe('a call', () => {
  test.each([
    ['of a tool that nobody has', { name: 'editor_nothing', arguments: {} }],
    ['of a tool of ours that we do not have', { name: 'countersign_approve', arguments: {} }],
    ['of a name that is none', { name: 'a.b/c', arguments: {} }],
    ['without a name', { arguments: {} }],
    ['with arguments that are a list', { ...CALL, arguments: [] }],
  ])('%s is refused in the words of the protocol', async (_, params) => {
    expect(await legacy(it, 'tools/call', params)).toMatchObject({ status: 200, body: { error: { code: -32_602 } } })
  })

  test('of a method that is none is refused', async () => {
    expect(await legacy(it, 'toString')).toMatchObject({ status: 200, body: { error: { code: -32_601 } } })
    expect(await modern(it, '__proto__')).toMatchObject({ status: 404, body: { error: { code: -32_601 } } })
  })

  test('about an execution of somebody else finds nothing', async () => {
    const { receipt } = await it.held('delete_contact', {}, { key: await makeKey(it) })
    const args = { request_id: receipt.request_id, seconds: 0 }
    for (const id of [receipt.request_id, 'exe_1', 'a#b'])
      expect(
        (await legacy(it, 'tools/call', { name: 'countersign_wait', arguments: { ...args, request_id: id } })).body
          .result,
      ).toMatchObject({ isError: true, content: [{ text: 'execution not found' }] })
    expect(await modern(it, 'tasks/get', { taskId: receipt.request_id })).toMatchObject({
      body: { error: { code: -32_602 } },
    })
  })
})

test('nothing of all that was stored as an execution', async () => {
  const { body } = await it.call(protocol.listExecutions)
  expect(body.items.map(({ action_id }: { action_id: string }) => action_id).toSorted()).toEqual([
    'delete_contact',
    'get_contact',
  ])
})
