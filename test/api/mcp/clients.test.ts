// The real clients of the protocol, against the local stack. Whatever they need beyond the protocol, they do not get.
import { createMCPClient } from '@ai-sdk/mcp'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let it: Governed
beforeAll(async () => {
  it = await governed(local, [
    {
      action_id: 'get_contact',
      input_schema: { type: 'object', required: ['contact'], properties: { contact: { type: 'string' } } },
    },
    { action_id: 'update_contact' },
    { action_id: 'delete_contact' },
  ])
})

const INFO = { name: 'referee', version: '1.0.0' }
const url = () => new URL(`${local.apiUrl}/mcp/${it.tenant_id}`)
const withKey = () => ({ requestInit: { headers: { Authorization: `Bearer ${it.live_key}` } } })

type Called = { isError?: boolean; content?: unknown; structuredContent?: unknown }
type Agent = {
  list: () => Promise<string[]>
  use: (name: string, args: Record<string, unknown>) => Promise<Called>
  close: () => Promise<unknown>
}

async function modernClient(mode?: 'legacy' | { pin: string } | 'auto'): Promise<Agent> {
  const client = new ModernClient(INFO, mode ? { versionNegotiation: { mode } } : {})
  await client.connect(new ModernTransport(url(), withKey()))
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    use: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

async function legacyClient(): Promise<Agent> {
  const client = new LegacyClient(INFO)
  await client.connect(new LegacyTransport(url(), withKey()))
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    use: (name, args) => client.callTool({ name, arguments: args }) as Promise<Called>,
    close: () => client.close(),
  }
}

const CLIENTS: [string, () => Promise<Agent>][] = [
  ['@modelcontextprotocol/client, which finds out the revision', () => modernClient('auto')],
  ['@modelcontextprotocol/client, pinned to 2026-07-28', () => modernClient({ pin: '2026-07-28' })],
  ['@modelcontextprotocol/client, with a handshake', () => modernClient('legacy')],
  ['@modelcontextprotocol/sdk', legacyClient],
]

describe.each(CLIENTS)('%s', (_, connect) => {
  test('lists the tools, runs, is told what is wrong, and waits for a person', async () => {
    const agent = await connect()

    expect(await agent.list()).toEqual(expect.arrayContaining(['editor_get_contact', 'countersign_wait']))
    expect(await agent.use('editor_get_contact', { contact: 'con_1' })).toMatchObject({
      structuredContent: { status: 'executed' },
    })
    expect(await agent.use('editor_get_contact', {})).toMatchObject({ isError: true })
    await expect(agent.use('nobody_has_it', {})).rejects.toThrow(/Unknown tool/)
    const held = await agent.use('editor_delete_contact', { contact: `con_${_}` })
    expect(held).toMatchObject({ isError: false, structuredContent: { status: 'pending_approval' } })
    const { request_id, approval } = held.structuredContent as { request_id: string; approval: { id: string } }
    await it.approve(approval.id)
    expect(await agent.use('countersign_wait', { request_id })).toMatchObject({
      structuredContent: { status: 'executed', request_id },
    })
    await agent.close()
  })
})

test('@ai-sdk/mcp makes tools of a model of the actions', async () => {
  const headers = { Authorization: `Bearer ${it.live_key}` }
  const client = await createMCPClient({ transport: { type: 'http', url: url().href, headers } })
  const tools = await client.tools()

  const run = await tools.editor_get_contact?.execute({ contact: 'con_1' }, { toolCallId: '1', messages: [] } as never)

  expect(run).toMatchObject({ structuredContent: { status: 'executed' } })
  await client.close()
})
