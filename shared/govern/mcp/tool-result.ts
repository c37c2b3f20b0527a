// An execution in its present state as the result of a tool. The text is for models, the structured part for programs. Only the
// principal that asked for an execution sees it.
import type { Json } from '../../base/lib/json.ts'
import { approvalLink } from '../approvals/votes/rules.ts'
import type { Execution } from '../executions/execution.ts'
import type { ExecutionStatus } from '../executions/states.ts'
import { type Visible, visibleNow } from '../executions/sealed/visible.ts'
import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { findExecution, type OpenExecution, openExecution } from '../executions/sealed/open-execution.ts'
import { approvals } from '../approvals/approval.ts'

export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError: boolean
}

/** What a result shows beside the execution. `reason`: that of the person who rejected it. */
type Shown = Visible & { reason?: string | undefined }

type Said = { text: string; isError?: true } & Record<string, unknown>

/** What each state means for the agent that asked. */
const SAYS: Record<ExecutionStatus, (execution: Execution, shown: Shown) => Said> = {
  submitted: running,
  approved: running,
  executing: running,
  executed: ({ undo_until }, { output }) => ({
    text: output === undefined ? 'Done.' : JSON.stringify(output),
    ...(output !== undefined && { output }),
    ...(undo_until && { undo_until }),
  }),
  undone: ({ undo }) => ({
    text:
      undo?.state === 'marked'
        ? 'Done, and marked as undone. Nothing was called to take it back: do that yourself.'
        : 'Done, and undone since.',
  }),
  pending_approval: ({ id, tenant_id, held }) => {
    const url = held && approvalLink(tenant_id, held.id)
    return {
      text: `NOT DONE. A person must approve this first: ${url}. Then call countersign_wait with request_id ${id}. Do not repeat the call.`,
      approval: { id: held?.id, url, expires_at: held?.expires_at },
    }
  },
  rejected: ({ rejection }, { reason }) => {
    const detail = rejection?.detail ?? (reason ? `A person rejected it: ${reason}` : 'A person rejected it.')
    return { text: `NOT DONE. ${detail}`, isError: true, policy_id: rejection?.policy_id, detail }
  },
  expired: () => ({ text: 'NOT DONE. Nobody approved it in time.', isError: true }),
  cancelled: () => ({ text: 'NOT DONE. The request was cancelled.', isError: true }),
  failed: ({ error }) => ({
    text: `The action failed. ${error?.message ?? ''}`.trim(),
    isError: true,
    code: error?.code,
  }),
  outcome_unknown: ({ error }) => ({
    text: 'Nobody knows whether the action was done. Do not repeat it: look at its target first.',
    isError: true,
    code: error?.code,
  }),
}

function running({ id }: Execution): Said {
  return { text: `The action is running. Call countersign_wait with request_id ${id}. Do not repeat the call.` }
}

/** `more`: further members of the structured part. */
export function toolResult(execution: Execution, shown: Shown, more: Record<string, Json> = {}): ToolResult {
  const { text, isError, ...members } = SAYS[execution.status](execution, shown)
  const proof = execution.artifacts.at(-1)
  return {
    content: [{ type: 'text', text }],
    structuredContent: {
      status: execution.status,
      request_id: execution.id,
      ...members,
      ...(proof && { evidence: { artifact_id: proof.artifact_id, hash: proof.hash } }),
      ...more,
    },
    isError: isError ?? false,
  }
}

/** A call that came to nothing, in words that a model can correct itself by. */
export const refusedResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

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

export type Presented = { execution: Execution; result: ToolResult }

/** A stored execution as the result of a tool, with the reason that only its approval holds. `more`: as in `toolResult`. */
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
