// Ends an undo when the execution that carries it out has ended: at once, or by the sweeper when the process died in between.
// A repeat changes nothing.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { type Execution, executions } from '../execution.ts'
import { giveBack } from '../../limits/counting.ts'
import { conducted, triedUndo } from '../measures.ts'
import { readEventFacts } from '../sealed/open-execution.ts'
import { undoneEvent } from '../events.ts'
import type { ExecutionStatus } from '../states.ts'
import { transition } from '../store.ts'

type Undo = NonNullable<Execution['undo']>

const ENDS: Partial<Record<ExecutionStatus, 'done' | 'failed' | 'refused'>> = {
  executed: 'done',
  failed: 'failed',
  outcome_unknown: 'failed',
  rejected: 'refused',
  expired: 'refused',
  cancelled: 'refused',
}

/** Returns the execution that `child` undoes, in its new state; undefined when `child` is no undo. */
export async function settleUndo(ctx: Context, child: Execution): Promise<Stored<Execution> | undefined> {
  if (!child.undo_of) return undefined
  const was = await ctx.table.get(executions, { ...ctx.space, id: child.undo_of })
  const end = ENDS[child.status]
  if (!end || was?.undo?.request_id !== child.id || !isOpen(was.undo)) return was
  return end === 'done' ? markUndone(ctx, was, was.undo, child) : giveUpUndo(ctx, was, end)
}

const isOpen = ({ state }: Undo) => state === 'running' || state === 'held'

/** `child` is the execution that undid it. Without one, the caller compensates. */
export async function markUndone(
  ctx: Context,
  was: Stored<Execution>,
  undo: Omit<Undo, 'state' | 'at'>,
  child?: Execution,
): Promise<Stored<Execution>> {
  const done: Undo = { ...undo, state: child ? 'done' : 'marked', at: iso(ctx.now()) }
  const next: Execution = { ...was, status: 'undone', undo: done, lease_until: undefined }
  const { by, request_id } = undo
  const called = child?.attempt !== undefined
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: {
        type: 'execution.undone',
        outcome: 'undone',
        ...(request_id && { data: { undo_request_id: request_id } }),
      },
      events: (stored) => [undoneEvent(readEventFacts(stored), { by, request_id, called })],
      measures: [['u', 1], ...conducted(was, 'undone'), ...triedUndo(was)],
    },
  ])
  const back = called ? giveBack(ctx, was.counted, 'undone') : []
  await ctx.table.commit([...writes, ...back], child ? undefined : was.id) // with a child, its own commit is the one that the request asked for
  return execution
}

/** The undo ended without effect: the action stays executed. */
export async function giveUpUndo(ctx: Context, was: Stored<Execution>, state: 'failed' | 'refused') {
  const { undo } = was
  if (!undo) throw new Error('the execution has no undo to give up')
  const next: Execution = { ...was, undo: { ...undo, state }, lease_until: undefined }
  const data = { undo_request_id: undo.request_id ?? null, state }
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: { type: 'execution.undo_started', outcome: 'failed', data },
      events: () => [],
      measures: state === 'failed' ? [['u', 0]] : [], // what was refused was never tried
    },
  ])
  await ctx.table.commit(writes)
  return execution
}
