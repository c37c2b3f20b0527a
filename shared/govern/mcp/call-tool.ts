// A call of a tool: an execution like any other, judged by the same code as a request over REST.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { visibleUnder } from '../executions/sealed/visible.ts'
import { decideOn } from '../protocol/decide.ts'
import { submit } from '../protocol/submit.ts'
import type { Loaded } from './load.ts'
import { objectAt, textAt } from '../../base/wire/json-object.ts'
import { invalidParams } from './message.ts'
import { OWN_TOOLS } from './own-tools.ts'
import { refusedResult, toolResult, type ToolResult } from './tool-result.ts'
import type { Submitted } from '../executions/submission.ts'

/** `held`: set where the action waits for people. */
export type Called = { result: ToolResult; held?: Submitted['execution'] | undefined }

export async function callTool(ctx: Context, loaded: Loaded, params: JsonObject | undefined): Promise<Called> {
  const name = textAt(params, 'name')
  const args = params?.arguments === undefined ? {} : objectAt(params, 'arguments')
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

async function callAction(ctx: Context, { called }: Loaded, name: string, payload: JsonObject): Promise<Called> {
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

async function callOwn(ctx: Context, { governance }: Loaded, name: string, args: JsonObject): Promise<Called> {
  const own = OWN_TOOLS.find(({ tool }) => tool.name === name)
  if (!own || !governance) throw unknownTool(name)
  return { result: await own.run({ ctx, governance, args }) }
}

const unknownTool = (name: string) => invalidParams(`Unknown tool: ${name}`)

/** What a model can correct by itself, or has to know; the rest is for the client. */
function correctable({ kind, detail }: Failure): ToolResult | undefined {
  if (typeof detail !== 'string')
    return refusedResult(detail.map(({ loc, msg }) => `${placeOf(loc)}: ${msg}`).join('\n'))
  return kind === 'conflict' || kind === 'not_found' ? refusedResult(detail) : undefined
}

/** Models know the payload as the arguments. */
const placeOf = (loc: readonly (string | number)[]): string =>
  loc.slice(loc[0] === 'body' && loc[1] === 'payload' ? 2 : 1).join('.') || 'arguments'
