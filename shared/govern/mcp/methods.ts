// The methods of the protocol, by era: the list of tools, the call of a tool, tasks. Any other method is answered as unknown.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import {
  agreedVersion,
  type Era,
  invalidParams,
  type Message,
  RPC,
  RpcError,
  SUPPORTED,
  TASKS_EXTENSION,
} from './message.ts'
import type { Loaded, NamesPage } from './load.ts'
import { type JsonObject, objectAt, textAt } from '../../base/wire/parse-body.ts'
import { mustBeOwn, refusedResult, toolResult, type ToolResult } from './tool-result.ts'
import { cancelTask, knowsTasks, readTask, taskOf } from './task.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { activeGovernance } from '../governance/governance.ts'
import { loadVersion } from '../manifests/load.ts'
import { nodeHeads } from '../manifests/node.ts'
import { isNameOf } from '../manifests/tool-names.ts'
import { OWN_TOOLS } from './built-in-tools.ts'
import type { Tool } from './tool.ts'
import { visibleUnder } from '../executions/sealed/visible.ts'
import { decideOn } from '../protocol/decide.ts'
import { submit } from '../protocol/submit.ts'
import type { Submitted } from '../executions/submission.ts'

export const SERVER = { name: 'countersign', title: 'Countersign', version: '1.0.0' }

export type Asked = { ctx: Context; message: Message; era: Era; loaded: Loaded }

type Method = (asked: Asked) => Promise<object> | object

/** Throws the protocol's own error for an unknown method. */
export function methodOf({ method }: Message, era: Era): Method {
  const known = Object.hasOwn(METHODS[era], method) ? METHODS[era][method] : undefined
  if (known) return known
  throw new RpcError(RPC.methodNotFound, 'Method not found', { status: era === 'modern' ? 404 : 200 })
}

const INSTRUCTIONS = [
  'Each tool is an action that Countersign governs. The structured result has a status:',
  'executed: done. pending_approval: not done; a person decides at approval.url, so show that link and call countersign_wait',
  'with the request_id. rejected: refused, do not try to get around it. failed: the target failed. outcome_unknown: do not repeat.',
  'undo_until: countersign_undo takes the action back until then.',
].join(' ')

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

/** A version may have 262 KB. */
const AT_ONCE = 8

/**
 * One page of tools: names first, then the latest versions of their nodes. The service's own tools end the last page. A name whose action
 * is gone is left out. The classifier loads with the first list.
 */
async function listTools(ctx: Context, { names, next }: NamesPage): Promise<{ tools: Tool[]; nextCursor?: string }> {
  const { table, space } = ctx
  const nodes = [...new Set(names.map(({ node_id }) => node_id))]
  const [heads, governance] = await Promise.all([
    table.getAll(
      nodeHeads,
      nodes.map((node_id) => ({ ...space, node_id })),
    ),
    activeGovernance(table, space),
  ])
  const versions = await inParallel(AT_ONCE, heads, ({ node_id, latest }) => loadVersion(table, space, node_id, latest))
  const { toolOf } = await import('./tool.ts')
  const loaded = new Map(versions.map((version) => [version?.node.id, version]))
  const tools = names.filter(isNameOf).flatMap(({ name, node_id, action_id }) => {
    const version = loaded.get(node_id)
    const endpoint = version?.endpoints.get(action_id)
    return version && endpoint ? [toolOf(name, version, endpoint, governance)] : []
  })
  if (next !== undefined) return { tools, nextCursor: next }
  return { tools: [...tools, ...OWN_TOOLS.map(({ tool }) => tool)] }
}

/** `held`: set where the action waits for people. */
type CallResult = { result: ToolResult; held?: Submitted['execution'] | undefined }

/**
 * Calls a tool: an execution like any other, decided by the same code as a request over REST. Answers with a result for each refusal that
 * a model can correct, and throws the others. Neither tier nor approval is taken from the client. A repeat with the same key is
 * answered by the layer `once` before it comes here.
 */
export async function callTool(ctx: Context, loaded: Loaded, params: JsonObject | undefined): Promise<CallResult> {
  const name = textAt(params, 'name')
  const args = (params?.arguments ?? null) === null ? {} : objectAt(params, 'arguments')
  if (name === undefined || args === undefined)
    throw invalidParams('params must hold a name and an object of arguments')
  try {
    return await (loaded.governance ? callOwn(ctx, loaded, name, args) : callAction(ctx, loaded, name, args))
  } catch (error) {
    const refused = error instanceof Failure && correctable(error)
    if (refused) return { result: refused }
    throw error
  }
}

async function callAction(ctx: Context, { called }: Loaded, name: string, payload: JsonObject): Promise<CallResult> {
  if (!called) throw unknownTool(name)
  const { node_id, action_id, inputs } = called
  const submission = await decideOn(ctx, inputs, { node_id, action_id, payload })
  const { execution, opened, repeated } = await submit(ctx, submission)
  const visible = await visibleUnder(inputs.governance.settings, opened)
  return {
    result: toolResult(execution, visible, repeated ? { repeated } : {}),
    held: execution.status === 'pending_approval' ? execution : undefined,
  }
}

async function callOwn(ctx: Context, { governance }: Loaded, name: string, args: JsonObject): Promise<CallResult> {
  const own = OWN_TOOLS.find(({ tool }) => tool.name === name)
  if (!own || !governance) throw unknownTool(name)
  return { result: await own.run({ ctx, governance, args }) }
}

const unknownTool = (name: string) => invalidParams(`Unknown tool: ${name}`)

/** A result for refusals that a model can correct or has to know; the others are for the client. */
function correctable({ kind, detail }: Failure): ToolResult | undefined {
  if (typeof detail !== 'string')
    return refusedResult(detail.map(({ loc, msg }) => `${placeOf(loc)}: ${msg}`).join('\n'))
  return kind === 'conflict' || kind === 'not_found' ? refusedResult(detail) : undefined
}

/** Models know the payload as the arguments. */
const placeOf = (loc: readonly (string | number)[]): string =>
  loc.slice(loc[0] === 'body' && loc[1] === 'payload' ? 2 : 1).join('.') || 'arguments'
