// Reads executions and opens their sealed parts.
import type * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { openPayload } from '../../../ledger/sealing/seal.ts'
import type { JsonObject } from '../../../base/wire/parse-body.ts'
import { Failure, notFound } from '../../../base/lib/failure.ts'
import type { Stored } from '../../../base/table/entity.ts'
import type { EventFacts } from '../events.ts'
import { type Execution, executions, payloads, type RoutingDecision } from '../execution.ts'
import type { Opened } from '../execution-view.ts'

export type OpenExecution = { execution: Stored<Execution>; opened: Opened; salt: Uint8Array | undefined }

/** Throws 404 for an execution that is not in this tenant and mode. */
export async function findExecution(ctx: Context, id: string): Promise<Stored<Execution>> {
  const execution = await ctx.table.get(executions, { ...ctx.space, id })
  if (!execution) throw notFound('execution')
  return execution
}

/** An erased payload opens as null. */
export async function openExecution(ctx: Context, id: string): Promise<OpenExecution> {
  return openSealed(ctx, await findExecution(ctx, id))
}

/** Opens payload, output and note of an execution that was read. An erased payload opens as null, another erased part is absent. */
export async function openSealed(ctx: Context, execution: Stored<Execution>): Promise<OpenExecution> {
  const [payload, output, note] = await Promise.all([
    openPart(ctx.space, execution, 'payload', execution.payload ?? (await longPayload(ctx, execution))),
    openPart(ctx.space, execution, 'output', execution.output),
    openPart(ctx.space, execution, 'report_note', execution.report_note),
  ])
  return {
    execution,
    opened: {
      payload: (payload?.payload as JsonObject) ?? null,
      ...(output && { output: output.payload }),
      ...(note && { note: note.payload as string }),
    },
    salt: payload?.salt,
  }
}

const EQUAL = '+repeated'

/** What an Idempotency-Key stores where an equal request, which waits, answered its request. */
export const refToEqual = (id: string): string => id + EQUAL

/** Reads what an Idempotency-Key stores of a request to run an action. */
export const readRef = (ref: string): { id: string; repeated: boolean } =>
  ref.endsWith(EQUAL) ? { id: ref.slice(0, -EQUAL.length), repeated: true } : { id: ref, repeated: false }

/** The facts of a stored execution that its events need. */
export const readEventFacts = (execution: Execution): EventFacts => {
  const routing: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
  return { execution, routing }
}

async function longPayload(ctx: Context, execution: Execution) {
  if (!execution.payload_apart) return undefined
  return (await ctx.table.get(payloads, execution))?.payload
}

async function openPart(space: Space, execution: Execution, attribute: string, sealed: Uint8Array | undefined) {
  if (!sealed) return undefined
  try {
    return await openPayload(space, executions.key(execution), attribute, sealed)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'conflict') return undefined // erased
    throw error
  }
}
