import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Execution } from '../executions/execution.ts'
import { findExecution, type OpenExecution, openExecution } from '../executions/sealed/open-execution.ts'

const EXECUTION_ID = /^exe_[0-9A-Z]{26}$/

/** An execution that this principal asked for, through the same client; anybody else's is like a missing one. */
export async function ownExecution(ctx: Context, id: string): Promise<OpenExecution> {
  await mustBeOwn(ctx, id)
  return openExecution(ctx, id)
}

/** Throws 404 for all but an execution that this principal asked for. */
export async function mustBeOwn(ctx: Context, id: string): Promise<Execution> {
  if (!EXECUTION_ID.test(id)) throw notFound('execution')
  const execution = await findExecution(ctx, id)
  const { kind, id: own, client_id } = ctx.principal
  const { type, id: by } = execution.requested_by
  if (type !== kind || by !== own || execution.client_id !== client_id) throw notFound('execution')
  return execution
}
