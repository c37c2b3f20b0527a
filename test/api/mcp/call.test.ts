import { beforeAll, describe, expect, test } from 'vitest'
import { mcp } from '../../../functions/mcp/routes.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { forgetTenant, freshTenant } from '../../../shared/base/tenant/find.ts'
import { tenants } from '../../../shared/base/tenant/tenant.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { legacy, MODERN, modern, post, TASKS, useTool } from '../../support/mcp.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let it: Governed
beforeAll(async () => {
  it = await governed(local)
})

const LEGACY = ['2025-11-25', '2025-06-18']

describe('a handshake', () => {
  test.each(LEGACY)('agrees on %s and starts no session', async (protocolVersion) => {
    const reply = await legacy(it, 'initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    })

    expect(reply).toMatchObject({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 1,
        result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'countersign' } },
      },
    })
    expect(reply.headers).not.toHaveProperty('mcp-session-id')
  })

  test('with an unknown revision is answered with the newest that has handshakes', async () => {
    const { body } = await legacy(it, 'initialize', { protocolVersion: '2020-01-01' }, { headers: {} })
    expect(body.result.protocolVersion).toBe('2025-11-25')
  })

  test('is unknown since 2026-07-28, which has a discovery instead', async () => {
    expect(await modern(it, 'initialize')).toMatchObject({ status: 404, body: { error: { code: -32_601 } } })
    expect((await modern(it, 'server/discover')).body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN, ...LEGACY],
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'countersign' } },
    })
  })
})

test('a revision whose servers must take lists of messages is not agreed on', async () => {
  const { body } = await legacy(it, 'initialize', { protocolVersion: '2025-03-26' }, { headers: {} })
  expect(body.result.protocolVersion).toBe('2025-11-25')
  const refused = await legacy(it, 'ping', {}, { headers: { 'mcp-protocol-version': '2025-03-26' } })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: -32_022 } } })
})

test('null counts as absent for params and for arguments', async () => {
  expect(await post(it, { jsonrpc: '2.0', id: 1, method: 'ping', params: null })).toMatchObject({
    status: 200,
    body: { result: {} },
  })
  expect(
    (await post(it, { jsonrpc: '2.0', id: 2, method: 'tools/list', params: null })).body.result.tools,
  ).toHaveLength(6)
  const params = { name: 'editor_get_contact' }
  const absent = await post(it, { jsonrpc: '2.0', id: 3, method: 'tools/call', params })
  const none = await post(it, { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { ...params, arguments: null } })
  expect(none.status).toBe(absent.status)
  expect(none.body.result.content).toHaveLength(1)
  const list = await post(it, { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { ...params, arguments: [] } })
  expect(list.body).toMatchObject({ error: { code: -32_602 } })
})

test('pings of former revisions are answered, and notifications of all get no body', async () => {
  expect(await legacy(it, 'ping', {}, { id: 'p' })).toMatchObject({ status: 200, body: { id: 'p', result: {} } })
  const told = await post(it, { jsonrpc: '2.0', method: 'notifications/initialized' })
  expect(told).toMatchObject({ status: 202, body: undefined })
})

describe('tools', () => {
  test('are the actions, with what we say of them, and ours at the end', async () => {
    const { result } = (await modern(it, 'tools/list')).body

    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'editor_delete_contact',
      'editor_get_contact',
      'editor_update_contact',
      'countersign_wait',
      'countersign_undo',
      'countersign_cancel',
    ])
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' })
    expect(result.tools[0]).toMatchObject({
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: false, destructiveHint: true },
      _meta: { 'countersign/tier': 'HARD', 'countersign/node_id': 'crm.contacts.editor' },
    })
  })
})

describe('a call', () => {
  test('of an AUTO action runs it', async () => {
    const result = await useTool(it, 'editor_get_contact', { contact: 'con_1' })

    expect(result).toMatchObject({ resultType: 'complete', isError: false, structuredContent: { status: 'executed' } })
    const { request_id, evidence } = result.structuredContent
    expect(await it.look(request_id)).toMatchObject({
      status: 'executed',
      result: { payload_echo: { contact: 'con_1' } },
      evidence: [{ artifact_id: evidence.artifact_id, hash: evidence.hash }],
    })
  })

  test('of a HARD action waits for a person, and says so', async () => {
    const result = await useTool(it, 'editor_delete_contact', { contact: 'con_2' })

    const { request_id, approval } = result.structuredContent
    expect(result).toMatchObject({ isError: false, structuredContent: { status: 'pending_approval' } })
    expect(approval.url).toBe(`${local.appUrl}/approvals/${it.tenant_id}/${approval.id}`)
    expect(result.content[0].text).toMatch(/^NOT DONE\. .*countersign_wait.*Do not repeat the call\.$/)
    expect(await useTool(it, 'countersign_wait', { request_id, seconds: 0 })).toMatchObject({
      structuredContent: { status: 'pending_approval' },
    })
    await it.approve(approval.id)
    expect(await useTool(it, 'countersign_wait', { request_id })).toMatchObject({
      structuredContent: { status: 'executed', request_id },
    })
  })

  test('that is held becomes a task for a client that knows tasks', async () => {
    const options = { meta: { 'io.modelcontextprotocol/clientCapabilities': TASKS } }
    const task = await useTool(it, 'editor_delete_contact', { contact: 'con_3' }, options)

    expect(task).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 3_000 })
    const { taskId } = task
    await it.approve((await it.look(taskId)).approval.id)
    expect((await modern(it, 'tasks/get', { taskId })).body.result).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { resultType: 'complete', structuredContent: { status: 'executed' } },
    })
  })

  test('of a SOFT action can be undone', async () => {
    const { structuredContent } = await useTool(it, 'editor_update_contact', { contact: 'con_4' })

    const { request_id } = structuredContent
    expect(structuredContent).toMatchObject({ status: 'executed', undo_until: expect.any(String) })
    expect(await useTool(it, 'countersign_undo', { request_id, reason: 'wrong contact' })).toMatchObject({
      isError: false,
      structuredContent: { status: 'undone', request_id },
    })
  })

  test('says which program made it, as a claim, in execution, receipt and evidence', async () => {
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'Claude Code', version: '2.1.0' } }
    const { structuredContent } = await useTool(it, 'editor_get_contact', {}, { meta })

    expect((await it.look(structuredContent.request_id)).receipt.client).toEqual({
      name: 'Claude Code',
      version: '2.1.0',
    })
  })

  test('that repeats one which waits answers that one, and asks nobody again', async () => {
    const args = { contact: 'con_5' }
    await it.change({ refusal_holds_s: 600, answer_repeats: true })
    const first = await useTool(it, 'editor_delete_contact', args)
    const second = await useTool(it, 'editor_delete_contact', args)
    const { request_id } = first.structuredContent

    expect(second.structuredContent.request_id).toBe(request_id)
    expect([first, second].filter(({ structuredContent }) => structuredContent.repeated)).toHaveLength(1)
    expect((await useTool(it, 'editor_delete_contact', { contact: 'con_6' })).structuredContent.request_id).not.toBe(
      request_id,
    )
    const keyed = async () => {
      const meta = { 'countersign/idempotency_key': 'again' }
      const { body } = await modern(it, 'tools/call', { name: 'editor_delete_contact', arguments: args }, { meta })
      return body.result.structuredContent
    }
    for (const structuredContent of [await keyed(), await keyed()])
      expect(structuredContent).toMatchObject({ request_id, status: 'pending_approval', repeated: true })
    await it.reject(first.structuredContent.approval.id)
    expect((await useTool(it, 'editor_delete_contact', args)).structuredContent.policy_id).toBe('refused_before')
    await local.advance(601_000)
    const third = await useTool(it, 'editor_delete_contact', args)
    expect(third.structuredContent).toMatchObject({ status: 'pending_approval' })
    expect(third.structuredContent.request_id).not.toBe(request_id)
  })

  test('with a key runs once, under whatever id and in whichever place the key is sent', async () => {
    const meta = { 'countersign/idempotency_key': 'once' }
    const first = await modern(it, 'tools/call', { name: 'editor_get_contact', arguments: {} }, { meta, id: 'a' })
    const headers = { 'idempotency-key': 'once' }
    const again = await modern(it, 'tools/call', { name: 'editor_get_contact', arguments: {} }, { headers, id: 'b' })

    expect(again.body).toMatchObject({ id: 'b', result: { structuredContent: { status: 'executed', repeated: true } } })
    expect(again.body.result.structuredContent.request_id).toBe(first.body.result.structuredContent.request_id)
    const other = { name: 'editor_get_contact', arguments: { contact: 'con_7' } }
    expect(await modern(it, 'tools/call', other, { headers })).toMatchObject({
      status: 400,
      body: { error: { data: { code: 'idempotency_mismatch' } } },
    })
  })

  test('that waits can be cancelled, and its task as well', async () => {
    const { structuredContent } = await useTool(it, 'editor_delete_contact', { contact: 'con_8' })
    expect(await useTool(it, 'countersign_cancel', { request_id: structuredContent.request_id })).toMatchObject({
      structuredContent: { status: 'cancelled' },
    })
    const options = { meta: { 'io.modelcontextprotocol/clientCapabilities': TASKS } }
    const { taskId } = await useTool(it, 'editor_delete_contact', { contact: 'con_9' }, options)
    for (const method of ['tasks/update', 'tasks/cancel', 'tasks/cancel'])
      expect((await modern(it, method, { taskId })).status).toBe(200)
    expect((await modern(it, 'tasks/get', { taskId })).body.result.status).toBe('cancelled')
  })
})

test('nobody connects to a tenant that does not allow it', async () => {
  const closed = await local.tenant()
  const ctx = systemContext({ tenant_id: closed.tenant_id, mode: 'live' })
  const tenant = await freshTenant(ctx.table, closed.tenant_id)
  const settings = { ...tenant.settings, mcp: { ...tenant.settings.mcp, enabled: false } }
  await ctx.table.commit([tenants.replace({ ...tenant, settings }, tenant)])
  forgetTenant(closed.tenant_id)

  const reply = await legacy(closed, 'tools/list')
  expect(reply).toMatchObject({ status: 403, body: { error: { code: -32_000 } } })
  expect(reply.headers).not.toHaveProperty('x-amzn-remapped-www-authenticate')
})

test('the metadata says where tokens for the tools come from, the same for tenants that do not exist', async () => {
  for (const tenant_id of [it.tenant_id, 'ten_missing']) {
    const reply = await local.call(mcp.metadata, { params: { tenant_id } })
    expect(reply).toMatchObject({
      status: 200,
      body: { resource: `${local.apiUrl}/mcp/${tenant_id}`, authorization_servers: [local.appUrl] },
    })
    expect(reply.headers['access-control-allow-origin']).toBe('*')
  }
})
