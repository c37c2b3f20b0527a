// An agent that speaks the Model Context Protocol by hand, in either era.
import { mcp } from '../../functions/mcp/routes.ts'
import type { Reply } from './call.ts'
import type { TestTenant } from './local-stack.ts'

export const MODERN = '2026-07-28'
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

type Options = {
  headers?: Record<string, string>
  key?: string
  /** Members of `_meta`. */
  meta?: object
  id?: string | number
}

type Agent = Pick<TestTenant, 'call' | 'tenant_id'>

export const post = ({ call, tenant_id }: Agent, body: object | string, more: Pick<Options, 'headers' | 'key'> = {}) =>
  call(mcp.call, { params: { tenant_id }, body, ...more })

/** As clients before 2026-07-28 ask. */
export const legacy = (agent: Agent, method: string, params: object = {}, options: Options = {}): Promise<Reply> => {
  const { headers = {}, meta, id = 1, ...more } = options
  const body = { jsonrpc: '2.0', id, method, params: { ...params, ...(meta && { _meta: meta }) } }
  return post(agent, body, { ...more, headers: { 'mcp-protocol-version': '2025-11-25', ...headers } })
}

/** As clients since 2026-07-28 ask: each message says its revision, and headers repeat it. */
export const modern = (agent: Agent, method: string, params: object = {}, options: Options = {}): Promise<Reply> => {
  const { headers = {}, meta = {}, id = 1, ...more } = options
  const name = Object.entries(params).find(([key]) => key === 'name' || key === 'taskId')?.[1]
  const _meta = { 'io.modelcontextprotocol/protocolVersion': MODERN, ...meta }
  const repeated = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name && { 'mcp-name': String(name) }) }
  return post(
    agent,
    { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
    { ...more, headers: { ...repeated, ...headers } },
  )
}

/** The result of a call of a tool in the modern era. */
export async function useTool(agent: Agent, name: string, args: object = {}, options: Options = {}) {
  const reply = await modern(agent, 'tools/call', { name, arguments: args }, options)
  if (reply.body?.result === undefined) throw new Error(`no result: ${JSON.stringify(reply.body)}`)
  return reply.body.result
}
