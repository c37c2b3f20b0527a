// Undo of a SOFT action, decided by the stored time of its execution. A brokered action is only marked, since the caller
// acted and compensates; an action with a target and an undo action runs that one as an execution of its own.
import type { Context } from '../context.ts'
import type { Decision } from '../governance/evaluate.ts'
import { answer, type Answer, unchanged } from '../http/call.ts'
import { iso } from '../lib/clock.ts'
import { conflict } from '../lib/failure.ts'
import { loadAction, type LoadedAction } from '../manifests/load.ts'
import type { Stored } from '../table/entity.ts'
import { renderExecution } from './answer.ts'
import { undoneEvent } from './events.ts'
import type { Execution } from './execution.ts'
import { type OpenExecution, openExecution, readTold } from './open.ts'
import { leaseFrom } from './run-target.ts'
import { transition } from './store.ts'
import { submit } from './submit.ts'

export async function undoExecution(ctx: Context, requestId: string): Promise<Answer> {
  const open = await openExecution(ctx, requestId)
  const { execution, opened } = open
  if (execution.status === 'undone') return unchanged(renderExecution(execution, opened))
  mustBeUndoable(execution, iso(ctx.now()))
  const action = await loadAction(ctx.table, ctx.space, execution.node_id, execution.action_id)
  const undoAction = action.target && action.endpoint.undo_action_id
  const done = undoAction ? await callUndoAction(ctx, open, undoAction) : await markUndone(ctx, execution)
  const failed = done.undo?.state === 'failed'
  const body = renderExecution(done, opened)
  if (!failed) return answer(200, body)
  const detail = 'The undo action failed; the action stands as executed.'
  return answer(502, { ...body, detail, code: 'target_failed', trace_id: ctx.request.trace_id })
}

/** Throws the 409 that says why an execution cannot be undone. The last millisecond of the window still counts. */
function mustBeUndoable({ status, undo, undo_until }: Execution, at: string): void {
  if (status !== 'executed') throw conflict(`cannot go from ${status} to undone`)
  if (!undo_until) throw conflict('only SOFT actions can be undone')
  if (at > undo_until) throw conflict(`the undo window ended at ${undo_until}`)
  if (undo?.state === 'running') throw conflict('the undo is already running')
}

async function markUndone(ctx: Context, was: Stored<Execution>, childId?: string): Promise<Stored<Execution>> {
  const { id: by } = ctx.principal
  const undo = { ...was.undo, state: 'done' as const, by, at: iso(ctx.now()) }
  const next: Execution = { ...was, status: 'undone', undo, lease_until: undefined }
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: { type: 'execution.undone', outcome: 'undone', ...(childId && { data: { undo_request_id: childId } }) },
      events: (stored) => [undoneEvent(readTold(stored), by, childId ?? null)],
    },
  ])
  await ctx.table.commit(writes, was.id)
  return execution
}

async function callUndoAction(ctx: Context, open: OpenExecution, undoActionId: string): Promise<Stored<Execution>> {
  const { execution: was, opened } = open
  const action = await loadAction(ctx.table, ctx.space, was.node_id, undoActionId)
  const child = ctx.id('exe')
  const started = await startUndo(ctx, was, undoActionId, child)
  const { execution } = await submit(ctx, {
    action,
    payload: {
      request_id: was.id,
      payload: opened.payload,
      ...(opened.output !== undefined && { output: opened.output }),
    },
    decision: undoDecision(action, was.id),
    policy_set_version: was.policy_set_version,
    asked: {},
    agent_id: was.agent_id,
    undo: { of: was.id, id: child },
  })
  return finishUndo(ctx, started, execution)
}

/** What the child's end means for the execution that it was to undo. */
export async function finishUndo(ctx: Context, started: Stored<Execution>, child: Execution) {
  if (child.status === 'executed') return markUndone(ctx, started, child.id)
  const undo = started.undo && { ...started.undo, state: 'failed' as const }
  const { execution, writes } = transition(ctx, started, { ...started, undo, lease_until: undefined }, [
    {
      facts: { type: 'execution.undo_started', outcome: 'failed', data: { undo_request_id: child.id } },
      events: () => [],
    },
  ])
  await ctx.table.commit(writes)
  return execution
}

async function startUndo(ctx: Context, was: Stored<Execution>, action_id: string, request_id: string) {
  const now = ctx.now()
  const undo = { state: 'running' as const, action_id, request_id, by: ctx.principal.id, at: iso(now) }
  const { execution, writes } = transition(ctx, was, { ...was, undo, lease_until: leaseFrom(now) }, [
    { facts: { type: 'execution.undo_started', data: { undo_request_id: request_id } }, events: () => [] },
  ])
  await ctx.table.commit(writes)
  return execution
}

/** The undo window of the first execution is the authority of the second: it runs without another decision. */
function undoDecision({ endpoint }: LoadedAction, of: string): Decision {
  return {
    outcome: 'run',
    tier: 'SOFT',
    routing_decision: {
      strategy: 'undo',
      tier: 'SOFT',
      kind: 'update',
      confidence: 1,
      risk: 0,
      reasons: [{ signal: 'undo', value: `${endpoint.action_id} of ${of}` }],
    },
    policy_evaluations: [{ policy_id: 'undo', result: 'pass' }],
    fired: [],
    stages: [],
    allow_self: true,
    expires_in_s: 0,
  }
}
