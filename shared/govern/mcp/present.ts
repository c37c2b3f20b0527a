// A stored execution as the result of a tool, with what only its approval holds.
import type { Json } from '../../base/lib/json.ts'
import type { Context } from '../../base/context.ts'
import { approvals } from '../approvals/approval.ts'
import type { Execution } from '../executions/execution.ts'
import type { OpenExecution } from '../executions/sealed/open-execution.ts'
import { visibleNow } from '../executions/sealed/visible.ts'
import { toolResult, type ToolResult } from './tool-result.ts'

export type Presented = { execution: Execution; result: ToolResult }

/** `more`: further members of the structured part. */
export async function present(
  ctx: Context,
  opening: Promise<OpenExecution>,
  more: Record<string, Json> = {},
): Promise<Presented> {
  const { execution, opened } = await visibleNow(ctx, opening)
  const reason = await reasonOfPerson(ctx, execution)
  return { execution, result: toolResult(execution, { ...opened, reason }, more) }
}

/** Why a person rejected it, so that an agent can do better. Policies leave their reason on the execution itself. */
async function reasonOfPerson(ctx: Context, { status, rejection, held }: Execution): Promise<string | undefined> {
  if (status !== 'rejected' || rejection || !held) return undefined
  return (await ctx.table.get(approvals, { ...ctx.space, id: held.id }))?.reason
}
