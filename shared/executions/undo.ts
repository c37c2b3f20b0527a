// Undo of a SOFT action, decided by the stored time of its execution. A brokered action is only marked, since the caller
// acted and compensates; an action with a target and an undo action runs that one as an execution of its own.
import type { Context } from '../context.ts'
import { answer, type Answer, unchanged } from '../http/call.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { iso } from '../lib/clock.ts'
import { conflict } from '../lib/failure.ts'
import { loadActionOf, type LoadedAction } from '../manifests/load.ts'
import type { Stored } from '../table/entity.ts'
import { described } from './call-target.ts'
import type { Execution } from './execution.ts'
import { type OpenExecution, openExecution, readTold } from './open.ts'
import { undoneEvent } from './outcome-events.ts'
import { type Opened, renderExecution } from './render.ts'
import { leaseFrom } from './run-target.ts'
import { shownNow } from './shown.ts'
import { transition } from './store.ts'
import { submit } from './submit.ts'
import { undoDecision } from './undo-decision.ts'

type Undo = NonNullable<Execution['undo']>

/** Throws the 409 that says why an execution cannot be undone. */
export async function undoExecution(ctx: Context, requestId: string, reason: string | undefined): Promise<Answer> {
  const open = await openExecution(ctx, requestId)
  const { execution, opened } = open
  if (execution.status === 'undone') return unchanged((await answerTo(ctx, execution, opened)).body)
  const { target, endpoint } = await loadActionOf(ctx.table, ctx.space, execution)
  const action_id = endpoint.undo_action_id
  const action = action_id && (await loadActionOf(ctx.table, ctx.space, { ...execution, action_id }))
  const undo = { action_id, reason, by: ctx.principal.id }
  mustBeUndoable(execution, iso(ctx.now()))
  const isCalled = action && target && action.target
  const done = isCalled ? await callUndoAction(ctx, open, action, undo) : await markUndone(ctx, execution, undo)
  return answerTo(ctx, done, opened)
}

/** The answer again, as the undo stands now; undefined while its action has not answered. */
export async function replayUndo(ctx: Context, requestId: string): Promise<Answer | undefined> {
  const { execution, opened } = await openExecution(ctx, requestId)
  return execution.undo?.state === 'running' ? undefined : answerTo(ctx, execution, opened)
}

async function answerTo(ctx: Context, execution: Execution, exact: Opened): Promise<Answer> {
  const { opened } = await shownNow(ctx, Promise.resolve({ opened: exact }))
  const body = renderExecution(execution, opened)
  if (execution.undo?.state !== 'failed') return answer(200, body)
  const detail = 'The undo action failed; the action stands as executed.'
  return answer(502, { ...body, detail, code: 'target_failed', trace_id: execution.trace_id })
}

/** The last millisecond of the window still counts. */
function mustBeUndoable({ status, undo, undo_until }: Execution, at: string): void {
  if (status !== 'executed') throw conflict(`cannot go from ${status} to undone`)
  if (!undo_until) throw conflict('only SOFT actions can be undone')
  if (at > undo_until) throw conflict(`the undo window ended at ${undo_until}`)
  if (undo?.state === 'running') throw conflict('the undo is already running')
}

async function markUndone(ctx: Context, was: Stored<Execution>, undo: Omit<Undo, 'state' | 'at'>) {
  const done: Undo = { ...undo, state: 'done', at: iso(ctx.now()) }
  const next: Execution = { ...was, status: 'undone', undo: done, lease_until: undefined }
  const { by, request_id } = undo
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: {
        type: 'execution.undone',
        outcome: 'undone',
        ...(request_id && { data: { undo_request_id: request_id } }),
      },
      events: (stored) => [undoneEvent(readTold(stored), by, request_id ?? null)],
    },
  ])
  await ctx.table.commit(writes, was.id)
  return execution
}

type Asked = Pick<Undo, 'action_id' | 'reason' | 'by'>

/** The intention is committed first, with the id of the execution that carries it out. */
async function callUndoAction(ctx: Context, open: OpenExecution, action: LoadedAction, asked: Asked) {
  const { execution: was, opened } = open
  const now = ctx.now()
  const request_id = ctx.id('exe')
  const undo: Undo = { ...asked, request_id, state: 'running', at: iso(now) }
  const { execution: started, writes } = transition(ctx, was, { ...was, undo, lease_until: leaseFrom(now) }, [
    { facts: { type: 'execution.undo_started', data: { undo_request_id: request_id } }, events: () => [] },
  ])
  await ctx.table.commit(writes, was.id)
  const { execution: child } = await submit(ctx, {
    action,
    payload: undoPayload(was.id, opened),
    decision: undoDecision(action, was.id),
    policy_set_version: was.policy_set_version,
    asked: {},
    agent_id: ctx.principal.agent_id,
    undo: { of: was.id, id: request_id },
  })
  return finishUndo(ctx, started, child.status === 'executed')
}

/** A payload is sealed in one item of the table (400 KB). */
const PAYLOAD_BYTES_MAX = 368_640

/** Payload and output, each as long as one may be, do not fit together: then the output is only described. */
function undoPayload(request_id: string, { payload, output }: Opened) {
  if (output === undefined) return { request_id, payload }
  const whole = { request_id, payload, output }
  const fits = Buffer.byteLength(canonicalJson(whole)) <= PAYLOAD_BYTES_MAX
  return fits ? whole : { ...whole, output: described(Buffer.from(canonicalJson(output))) }
}

/** What the end of the undo action means for the execution that it was to undo. */
export async function finishUndo(ctx: Context, started: Stored<Execution>, succeeded: boolean) {
  const { undo } = started
  if (!undo) throw new Error('no undo was started')
  if (succeeded) return markUndone(ctx, started, undo)
  const next: Execution = { ...started, undo: { ...undo, state: 'failed' }, lease_until: undefined }
  const data = { undo_request_id: undo.request_id ?? null }
  const { execution, writes } = transition(ctx, started, next, [
    { facts: { type: 'execution.undo_started', outcome: 'failed', data }, events: () => [] },
  ])
  await ctx.table.commit(writes)
  return execution
}
