// The methods of the protocol, by era. What is not here is answered as unknown.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { callTool } from './call-tool.ts'
import { agreedVersion, type Era, SUPPORTED } from './era.ts'
import { listTools } from './list-tools.ts'
import type { Loaded } from './load.ts'
import { textAt } from '../../base/wire/json-object.ts'
import { invalidParams, type Message, RPC, RpcError, TASKS_EXTENSION } from './message.ts'
import { mustBeOwn } from './own-execution.ts'
import { cancelTask, knowsTasks, readTask, taskOf } from './task.ts'

export const SERVER = { name: 'countersign', title: 'Countersign', version: '1.0.0' }

const INSTRUCTIONS = [
  'Each tool is an action that Countersign governs. The structured result has a status:',
  'executed: done. pending_approval: not done; a person decides at approval.url, so show that link and call countersign_wait',
  'with the request_id. rejected: refused, do not try to get around it. failed: the target failed. outcome_unknown: do not repeat.',
  'undo_until: countersign_undo takes the action back until then.',
].join(' ')

export type Asked = { ctx: Context; message: Message; era: Era; loaded: Loaded }
type Method = (asked: Asked) => Promise<object> | object

const BOTH: Record<string, Method> = {
  'tools/list': async ({ ctx, loaded, era }) => ({
    ...(await listTools(ctx, loaded.names ?? { names: [], next: undefined })),
    ...(era === 'modern' && { ttlMs: 60_000, cacheScope: 'private' }),
  }),
  'tools/call': async ({ ctx, loaded, message, era }) => {
    const { result, held } = await callTool(ctx, loaded, message.params)
    return held && era === 'modern' && knowsTasks(message) ? { resultType: 'task', ...taskOf(held) } : result
  },
}

const METHODS: Record<Era, Record<string, Method>> = {
  modern: {
    ...BOTH,
    'server/discover': () => ({
      supportedVersions: SUPPORTED,
      capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
      instructions: INSTRUCTIONS,
      ttlMs: 300_000,
      cacheScope: 'private',
    }),
    'tasks/get': ({ ctx, message }) => onTask(message, (id) => readTask(ctx, id)),
    'tasks/cancel': ({ ctx, message }) => onTask(message, (id) => cancelTask(ctx, id)),
    'tasks/update': ({ ctx, message }) => onTask(message, async (id) => void (await mustBeOwn(ctx, id))),
  },
  legacy: {
    ...BOTH,
    initialize: ({ message }) => ({
      protocolVersion: agreedVersion(textAt(message.params, 'protocolVersion')),
      capabilities: { tools: {} },
      serverInfo: SERVER,
      instructions: INSTRUCTIONS,
    }),
    ping: () => ({}),
  },
}

/** A task that is not the caller's own is like a missing one. */
async function onTask(message: Message, run: (id: string) => Promise<object | void>): Promise<object> {
  try {
    return (await run(textAt(message.params, 'taskId') ?? '')) ?? {}
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') throw invalidParams('Task not found')
    throw error
  }
}

/** Throws the protocol's own error for an unknown method. */
export function methodOf({ method }: Message, era: Era): Method {
  const known = Object.hasOwn(METHODS[era], method) ? METHODS[era][method] : undefined
  if (known) return known
  throw new RpcError(RPC.methodNotFound, 'Method not found', { status: era === 'modern' ? 404 : 200 })
}
