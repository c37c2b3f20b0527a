// Answers one message. There is no session, and nothing of one message is kept for the next.
import type { ClientClaim, Context } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { HttpResponse } from '../../base/wire/call.ts'
import { traceIdOf } from '../../base/lib/trace.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { openExecution, readRef } from '../executions/sealed/open-execution.ts'
import { type Era, eraOf, type Message, META, metaOf, RpcError } from './message.ts'
import type { Loaded } from './load.ts'
import { objectAt, textAt } from '../../base/wire/parse-body.ts'
import { methodOf, SERVER } from './methods.ts'
import { present } from './tool-result.ts'

type Incoming = { message: Message; headers: Headers; loaded: Loaded }

/**
 * Answers one message, and an error of the protocol as a JSON-RPC error. A notification asks for nothing, so it gets no body. Throws 403
 * where the tenant has switched the endpoint off. The client says which program it is; nothing is decided by that.
 */
export async function answer(ctx: Context, { message, headers, loaded }: Incoming): Promise<HttpResponse> {
  const { id } = message
  try {
    await mustBeEnabled(ctx)
    const era = eraOf(message, headers)
    if (id === undefined) return new HttpResponse(202, '', { unchanged: true })
    const asked = { ctx: asClient(ctx, message), message, era, loaded }
    const result = stamped(await methodOf(message, era)(asked), era)
    return new HttpResponse(200, { jsonrpc: '2.0', id, result }, { unchanged: ctx.table.committed.length === 0 })
  } catch (error) {
    if (error instanceof RpcError) return refusal(id ?? null, error)
    throw error
  }
}

/** Every credential of the tenant, within the 30 seconds for which its settings may be cached. */
async function mustBeEnabled({ table, space }: Context): Promise<void> {
  const { settings } = await tenantOf(table, space.tenant_id)
  if (!settings.mcp.enabled)
    throw forbidden('Agents may not connect to this tenant. Ask an owner or administrator of it.')
}

/** The program behind the request, and its trace where no header names one. */
function asClient(ctx: Context, message: Message): Context {
  const { request } = ctx
  const trace_id = traceIdOf(textAt(metaOf(message), 'traceparent')) ?? request.trace_id
  return { ...ctx, request: { ...request, trace_id }, client: clientOf(message, request.user_agent) }
}

/** Since 2026-07-28 each result says what it is and who made it. */
function stamped(result: object, era: Era): object {
  if (era === 'legacy') return result
  return { resultType: 'complete', ...result, _meta: { [META.serverInfo]: SERVER } }
}

const refusal = (id: string | number | null, { code, message, data, status }: RpcError): HttpResponse =>
  new HttpResponse(status, { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }, { unchanged: true })

/** The answer to a repeat with the same key: the execution in its present state, under the id of the repeat. */
export async function replayAnswer(ctx: Context, ref: string, message: Message, headers: Headers) {
  const { execution, result } = await present(ctx, openExecution(ctx, readRef(ref).id), { repeated: true })
  if (!execution.answered) return undefined
  const answered = stamped(result, eraOf(message, headers))
  return new HttpResponse(200, { jsonrpc: '2.0', id: message.id, result: answered }, { unchanged: true })
}

const NAME_MAX = 32
const VERSION_MAX = 16

/**
 * The program of the caller as it names itself, in the message or in the User-Agent (`claude-code/2.1 (cli)`). It is a claim, which
 * evidence shows and by which nothing is decided.
 */
function clientOf(message: Message, userAgent: string): ClientClaim | undefined {
  const info = objectAt(metaOf(message), META.clientInfo)
  const [product = '', release = ''] = (userAgent.split(' ')[0] ?? '').split('/')
  const name = plain(textAt(info, 'name') ?? product, NAME_MAX)
  const version = plain((info ? textAt(info, 'version') : release) ?? '', VERSION_MAX)
  if (name === '') return undefined
  return { name, ...(version !== '' && { version }) }
}

/** Names of programs, and no free text: it is stored in clear. */
const plain = (text: string, max: number): string =>
  text
    .replaceAll(/[^\w .@/+-]/g, '')
    .trim()
    .slice(0, max)
