// Undoes a SOFT action within the stored window. The undo action is decided for whoever requests the undo, and runs, is held
// or is rejected as its own execution. Where the manifest names no undo action, the execution is only marked as undone and its
// caller compensates.
import type { Context, Principal } from '../../base/context.ts'
import type { Governance } from '../governance/active.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { httpResponse, type HttpResponse, unchanged } from '../../base/wire/call.ts'
import { storedTextsUnder } from '../governance/pii/stored-text.ts'
import { loadActionOf } from '../manifests/load.ts'
import { isOwn } from '../manifests/platform-nodes.ts'
import type { Stored } from '../../base/table/entity.ts'
import { agentOfRequest, decideFor } from './decide.ts'
import type { Execution } from '../executions/execution.ts'
import { findExecution, type OpenExecution, openExecution } from '../executions/open-execution.ts'
import { type Opened, executionView } from '../executions/execution-view.ts'
import { leaseFrom } from '../executions/run-target.ts'
import { markUndone, settleUndo } from '../executions/settle-undo.ts'
import { visibleNow } from '../executions/visible.ts'
import { EXECUTION_STATES } from '../executions/states.ts'
import { transition } from '../executions/store.ts'
import type { Submission } from '../executions/submission.ts'
import { submit } from './submit.ts'
import { undoPayload } from './undo-payload.ts'

type Asked = Pick<NonNullable<Execution['undo']>, 'action_id' | 'reason' | 'by'>

/** Throws 403 for a caller who may not undo it, 409 for an execution that cannot be undone. */
export async function undoExecution(
  ctx: Context,
  governance: Governance,
  requestId: string,
  reason: string | undefined,
): Promise<HttpResponse> {
  const open = await openExecution(ctx, requestId)
  const { execution, opened } = open
  mustBeTheirs(ctx.principal, execution)
  if (execution.status === 'undone' || execution.undo?.state === 'held') {
    const { status, body } = await undoResponse(ctx, execution, opened)
    return unchanged(body, status)
  }
  mustBeUndoable(execution, iso(ctx.now()))
  const { submission, undo_action_id: action_id } = await decideOnUndo(ctx, governance, open)
  const texts = await storedTextsUnder(governance.settings, { reason })
  const request: Asked = { action_id, ...texts, by: ctx.principal.id }
  const runs = action_id !== undefined || submission.decision.rejection
  const done = runs ? await runUndo(ctx, execution, submission, request) : await markUndone(ctx, execution, request)
  return undoResponse(ctx, done, opened)
}

/** The response in the present state of the undo; undefined while its action has not answered. */
export async function replayUndo(ctx: Context, requestId: string): Promise<HttpResponse | undefined> {
  const { execution, opened } = await openExecution(ctx, requestId)
  return execution.undo?.state === 'running' ? undefined : undoResponse(ctx, execution, opened)
}

async function undoResponse(ctx: Context, execution: Execution, exact: Opened): Promise<HttpResponse> {
  const { opened } = await visibleNow(ctx, Promise.resolve({ opened: exact }))
  const body = executionView(execution, opened)
  const { state, request_id = '' } = execution.undo ?? {}
  if (state === 'failed') {
    const detail = 'The undo action failed, so the action stays executed.'
    return httpResponse(502, { ...body, detail, code: 'target_failed', trace_id: execution.trace_id })
  }
  if (state !== 'held' && state !== 'refused') return httpResponse(200, body)
  const { held, rejection } = await findExecution(ctx, request_id)
  if (state === 'held')
    return httpResponse(202, { ...body, approval: held }, { Location: `/api/v1/work/approvals/${held?.id}` })
  const detail = `The undo was refused, so the action stays executed. ${rejection?.detail ?? 'It was not approved'}.`
  return httpResponse(403, { ...body, detail, code: 'policy_rejected' })
}

/** Allowed: the requester of the action, other credentials of its bound agent, and approvers. */
function mustBeTheirs({ id, persons, agent_id, permissions }: Principal, execution: Execution): void {
  const isRequester = id === execution.requested_by.id || persons.some((person) => execution.persons.includes(person))
  const sameAgent = execution.agent_bound === true && agent_id === execution.agent_id
  if (isRequester || sameAgent || permissions.has('approvals:decide')) return
  throw forbidden('You did not request this action. Ask its requester or an approver to undo it.')
}

/** The last millisecond of the window is inside it. */
function mustBeUndoable({ status, undo, undo_until }: Execution, at: string): void {
  mustAllowMove(EXECUTION_STATES, status, 'undone')
  if (!undo_until) throw conflict('You can undo only SOFT actions.')
  if (at > undo_until) throw conflict(`You can no longer undo this action. Its undo window ended at ${undo_until}.`)
  if (undo?.state === 'running') throw conflict('The undo of this action is already running.')
}

/** Without an undo action, the action itself is decided on, so that a kill switch that stops it also stops its undo. */
async function decideOnUndo(ctx: Context, governance: Governance, { execution: was, opened }: OpenExecution) {
  const { table, space } = ctx
  const acted = await loadActionOf(table, space, was)
  const { undo_action_id, undo: pair } = acted.endpoint
  const action = undo_action_id ? await loadActionOf(table, space, { ...was, action_id: undo_action_id }) : acted
  const submission = await decideFor(
    ctx,
    { governance, action },
    {
      payload: undo_action_id ? undoPayload(was.id, opened, pair) : (opened.payload ?? {}),
      asked: askedFor(ctx.principal, action.node.id),
      ...agentOfRequest(ctx),
      undo: { of: was.id, id: ctx.id('exe'), exact: pair !== undefined, subject_ref: was.subject_ref },
    },
  )
  return { submission, undo_action_id }
}

/** What governs agents is brought back by a person: an undo that anything else requests waits for one. */
const askedFor = ({ kind }: Principal, nodeId: string): Submission['asked'] =>
  isOwn(nodeId) && kind !== 'user' ? { require_approval: true } : {}

/** Commits the intention first, with the id of the execution that will carry it out. */
async function runUndo(ctx: Context, was: Stored<Execution>, submission: Submission, request: Asked) {
  const now = ctx.now()
  const request_id = submission.undo?.id
  const state = submission.decision.outcome === 'hold' ? 'held' : 'running'
  const undo: Execution['undo'] = { ...request, request_id, state, at: iso(now) }
  const data = { undo_request_id: request_id ?? null }
  const { execution: started, writes } = transition(ctx, was, { ...was, undo, lease_until: leaseFrom(now) }, [
    { facts: { type: 'execution.undo_started', data }, events: () => [] },
  ])
  await ctx.table.commit(writes, was.id)
  const { execution: child } = await submit(ctx, submission)
  return (await settleUndo(ctx, child)) ?? started
}
