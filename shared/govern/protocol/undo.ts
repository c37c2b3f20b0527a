// Undoes a SOFT action within the stored window. The undo action is decided on for the caller who requests the undo. It runs, is held or
// is rejected as an execution of its own. Where the manifest names no undo action, the execution is only marked as undone and its caller
// compensates.
import * as z from 'zod'
import { actsDirectly, type Context, type Principal } from '../../base/context.ts'
import type { InForce } from '../governance/governance.ts'
import { iso } from '../../base/lib/clock.ts'
import { httpResponse, type HttpResponse, unchanged } from '../../base/wire/call.ts'
import { storedTextsUnder } from '../governance/pii/stored-text.ts'
import { loadActionOf, type LoadedAction } from '../manifests/load.ts'
import { isOwn } from '../manifests/platform-nodes.ts'
import type { Stored } from '../../base/table/entity.ts'
import { agentOfRequest, decideFor } from './decide.ts'
import type { Execution } from '../executions/execution.ts'
import { findExecution, type OpenExecution, openExecution } from '../executions/sealed/open-execution.ts'
import { executionView, type Opened, refusalCode } from '../executions/execution-view.ts'
import { committedFresh, mustBeFresh, type Submission } from '../executions/submission.ts'
import { callTurns } from '../executions/target/run.ts'
import { markUndone, settleUndo } from '../executions/target/settle-undo.ts'
import { visibleNow } from '../executions/sealed/visible.ts'
import { transition } from '../executions/store.ts'
import { submit } from './submit.ts'
import { conflict, forbidden, invalid } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { optional } from '../../base/wire/fields.ts'
import { EXECUTION_STATES } from '../executions/states.ts'
import { stepsOf, valueAt } from '../governance/conditions/pointer.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { canonicalJson, type Json } from '../../base/lib/json.ts'
import type { Endpoint } from '../manifests/manifest.ts'
import { described } from '../executions/call-target.ts'

export const UndoBody = z.strictObject({
  reason: optional(z.string().max(2_000)).describe('The reason, for people.'),
  during_freeze: optional(z.boolean()).describe(
    'Undoes in spite of freezes. Only for a person who may lift them, and with a `reason`.',
  ),
})
export type UndoBody = Partial<z.output<typeof UndoBody>>

type Asked = Pick<NonNullable<Execution['undo']>, 'action_id' | 'reason' | 'by'>

/**
 * Afterwards the execution is undone, its undo waits for people, or it was refused or failed and the action stays executed. Throws 403 for
 * a caller who may not undo it, 409 for an execution that cannot be undone, or whose window has passed. The payload of the undo comes
 * from the undone execution, never from the request. A repeat answers with the present state. settle-undo.ts says in which order the two
 * executions change, and what a crash leaves.
 */
export async function undoExecution(
  ctx: Context,
  governance: InForce,
  requestId: string,
  asked: UndoBody,
): Promise<HttpResponse> {
  const open = await openExecution(ctx, requestId)
  const { execution, opened } = open
  mustBeTheirs(ctx.principal, execution)
  if (execution.status === 'undone' || execution.undo?.state === 'held') {
    const { status, body } = await undoResponse(ctx, execution, opened)
    return unchanged(body, status)
  }
  mustBeUndoable(execution, iso(ctx.now()))
  mustBeAllowedDuringFreeze(ctx.principal, asked)
  const { submission, undo_action_id: action_id } = await decideOnUndo(ctx, governance, open, asked)
  const texts = await storedTextsUnder(governance.settings, { reason: asked.reason })
  const request: Asked = { action_id, ...texts, by: ctx.principal.id }
  const done = await committedFresh(submission, (decided) => {
    if (action_id !== undefined || decided.decision.rejection) return runUndo(ctx, execution, decided, request)
    mustBeFresh(ctx, decided)
    return markUndone(ctx, execution, request)
  })
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
  return httpResponse(403, { ...body, detail, code: refusalCode(rejection) })
}

/** Without an undo action, the action itself is decided on, so that a freeze that stops it also stops its undo. */
async function decideOnUndo(
  ctx: Context,
  governance: InForce,
  { execution: was, opened }: OpenExecution,
  { during_freeze = false }: UndoBody,
) {
  const { table, space } = ctx
  const acted = await loadActionOf(table, space, was)
  const { undo_action_id, undo: pair } = acted.endpoint
  const marks = undo_action_id === undefined || undefined
  const action = undo_action_id ? await loadActionOf(table, space, { ...was, action_id: undo_action_id }) : acted
  const exact = pair !== undefined && (await takesBackWhatItMade(ctx, was, [acted, action]))
  const submission = await decideFor(
    ctx,
    { governance, action },
    {
      payload: undo_action_id ? undoPayload(was.id, opened, pair) : (opened.payload ?? {}),
      asked: askedFor(ctx.principal, action.node.id),
      ...agentOfRequest(ctx),
      despiteFreezes: during_freeze,
      undo: { of: was.id, id: ctx.id('exe'), exact, marks, subject_ref: was.subject_ref },
    },
  )
  return { submission, undo_action_id }
}

/**
 * Whether the undo of an exact inverse needs no person: the target says that it made the object that the undo takes back, and the same
 * server is called. Otherwise an action with the id of somebody else's object would let that object be deleted.
 */
async function takesBackWhatItMade(ctx: Context, was: Execution, actions: readonly LoadedAction[]): Promise<boolean> {
  const [origin, ...others] = actions.map(({ target }) =>
    target?.type === 'http' ? new URL(target.url).origin : undefined,
  )
  if (!was.created || origin === undefined || others.some((other) => other !== origin)) return false
  const { creationProven } = await import('../approvals/proven.ts')
  return creationProven(ctx, was)
}

/** A change of policies or agents is undone by a person: an undo that a key or client requests waits for one. */
const askedFor = ({ kind: type, client_id }: Principal, nodeId: string): Submission['asked'] =>
  isOwn(nodeId) && !actsDirectly({ type, client_id }) ? { require_approval: true } : {}

/** Commits the intention first, with the id of the execution that will carry it out. */
async function runUndo(ctx: Context, was: Stored<Execution>, submission: Submission, request: Asked) {
  const now = ctx.now()
  const request_id = submission.undo?.id
  const state = submission.decision.outcome === 'hold' ? 'held' : 'running'
  const undo: Execution['undo'] = { ...request, request_id, state, at: iso(now) }
  const data = { undo_request_id: request_id ?? null }
  const { execution: started, writes } = transition(ctx, was, { ...was, undo, ...callTurns.until(now) }, [
    { facts: { type: 'execution.undo_started', data }, events: () => [] },
  ])
  await ctx.table.commit(writes, was.id)
  const { execution: child } = await submit(ctx, submission)
  return (await settleUndo(ctx, child)) ?? started
}

/** Allowed: the requester of the action, other credentials of its bound agent, and approvers. */
function mustBeTheirs({ id, persons, agent_id, permissions }: Principal, execution: Execution): void {
  const isRequester = id === execution.requested_by.id || persons.some((person) => execution.persons.includes(person))
  const sameAgent = execution.agent_bound === true && agent_id === execution.agent_id
  if (isRequester || sameAgent || permissions.has('approvals:decide')) return
  throw forbidden('You did not request this action. Ask its requester or an approver to undo it.')
}

/** What a freeze stops can still be taken back, by a person who could lift it and says why. */
function mustBeAllowedDuringFreeze({ kind, permissions }: Principal, { during_freeze, reason }: UndoBody): void {
  if (!during_freeze) return
  if (kind !== 'user' || !permissions.has('freezes:lift'))
    throw forbidden('Only a person who may lift freezes can undo an action during one. Leave during_freeze out.')
  if (!reason) throw invalid(['reason'], 'is needed with during_freeze', 'missing')
}

/** The last millisecond of the window is inside it. */
function mustBeUndoable({ status, undo, undo_until }: Execution, at: string): void {
  mustAllowMove(EXECUTION_STATES, status, 'undone')
  if (!undo_until) throw conflict('You can undo only SOFT actions.')
  if (at > undo_until) throw conflict(`You can no longer undo this action. Its undo window ended at ${undo_until}.`)
  if (undo?.state === 'running') throw conflict('The undo of this action is already running.')
}

/** A sealed payload is one item of the table (400 KB). */
const PAYLOAD_BYTES_MAX = 368_640

/**
 * The payload of an undo action: only what the undone execution has, and nothing from the undo request. `undo` is that of the manifest.
 * Throws 409 for an exact inverse whose target named no id.
 */
function undoPayload(request_id: string, { payload, output }: Opened, undo: Endpoint['undo']): JsonObject {
  if (undo) return fitting({ request_id, id: idIn(output, undo.id_from), output })
  return fitting({ request_id, payload, ...(output !== undefined && { output }) })
}

/** An exact inverse acts on the id in the target's output, never on the payload, which the agent chose. */
function idIn(output: Json | undefined, pointer: string): string | number {
  const id = valueAt(output, stepsOf(pointer) ?? [])
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return id
  throw conflict(
    `The output of the target has no id at ${pointer}, so this action cannot be undone automatically. Undo it by hand.`,
  )
}

/** Payload and output may together be too long; then the output is only described. */
function fitting(whole: JsonObject): JsonObject {
  if (Buffer.byteLength(canonicalJson(whole)) <= PAYLOAD_BYTES_MAX) return whole
  return { ...whole, output: described(Buffer.from(canonicalJson(whole.output))) }
}
