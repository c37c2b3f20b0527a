// The service's own tools, about what the same principal asked for before. None of them approves anything.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { isUnderWay } from '../executions/states.ts'
import type { InForce } from '../governance/governance.ts'
import { mustBeOwn, ownExecution, present, refusedResult, type ToolResult } from './tool-result.ts'
import type { Tool } from './tool.ts'

type Asked<A> = { ctx: Context; governance: InForce; args: A }

export type OwnTool = { tool: Tool; run: (asked: Asked<JsonObject>) => Promise<ToolResult> }

/** Checks the arguments first; a model learns from the result what is wrong with them. */
const own = <A>(tool: Tool, shape: z.ZodType<A>, run: (asked: Asked<A>) => Promise<ToolResult>): OwnTool => ({
  tool,
  run: async ({ args: sent, ...asked }) => {
    const args = shape.safeParse(sent)
    if (args.success) return run({ ...asked, args: args.data })
    const lines = args.error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
    return refusedResult(lines.join('\n'))
  },
})

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const CHANGES = { ...READS, readOnlyHint: false }

const request_id = z.string().max(64)
const REQUEST_ID = { type: 'string', description: 'The request_id of an earlier result.' }

const inputSchema = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: ['request_id'],
  additionalProperties: false,
})

/** The gateway ends a request after 29 seconds. */
const SECONDS_MAX = 20
const STEP_MS = 1_000

const wait = own(
  {
    name: 'countersign_wait',
    description: 'Waits until an action that needs approval is decided and done, and returns its result.',
    inputSchema: inputSchema({
      request_id: REQUEST_ID,
      seconds: { type: 'integer', minimum: 0, maximum: SECONDS_MAX, description: 'How long to wait at most.' },
    }),
    annotations: READS,
  },
  z.strictObject({ request_id, seconds: z.int().min(0).max(SECONDS_MAX).default(SECONDS_MAX) }),
  async ({ ctx, args }) => {
    const until = ctx.now() + args.seconds * 1_000
    let execution = await mustBeOwn(ctx, args.request_id)
    while (isUnderWay(execution.status) && ctx.now() + STEP_MS <= until) {
      await ctx.clock.sleep(STEP_MS)
      execution = await mustBeOwn(ctx, args.request_id)
    }
    return presentResult(ctx, args.request_id)
  },
)

const undo = own(
  {
    name: 'countersign_undo',
    description: 'Undoes an action within its 30 seconds.',
    inputSchema: inputSchema({ request_id: REQUEST_ID, reason: { type: 'string', maxLength: 2_000 } }),
    annotations: CHANGES,
  },
  z.strictObject({ request_id, reason: z.string().max(2_000).optional() }),
  async ({ ctx, governance, args }) => {
    if (!ctx.principal.permissions.has('executions:undo'))
      throw forbidden('You need the permission executions:undo (scope agent:execute).', { lacks: 'executions:undo' })
    await mustBeOwn(ctx, args.request_id)
    const { undoExecution } = await import('../protocol/undo.ts')
    await undoExecution(ctx, governance, args.request_id, { reason: args.reason })
    return presentResult(ctx, args.request_id)
  },
)

const cancel = own(
  {
    name: 'countersign_cancel',
    description: 'Withdraws an action that has not run yet.',
    inputSchema: inputSchema({ request_id: REQUEST_ID }),
    annotations: CHANGES,
  },
  z.strictObject({ request_id }),
  async ({ ctx, args }) => {
    await cancelOwn(ctx, args.request_id)
    return presentResult(ctx, args.request_id)
  },
)

/** Throws 404 for what this principal did not ask for, 409 for what has begun or has ended. */
export async function cancelOwn(ctx: Context, id: string): Promise<void> {
  await mustBeOwn(ctx, id)
  const { cancelExecution } = await import('../protocol/cancel.ts')
  await cancelExecution(ctx, id)
}

const presentResult = async (ctx: Context, id: string): Promise<ToolResult> =>
  (await present(ctx, ownExecution(ctx, id))).result

export const OWN_TOOLS: readonly OwnTool[] = [wait, undo, cancel]
