// Ends an undo when the execution that carries it out has ended.
//
// An undo is a pair: the execution that is undone, and its child, which carries the undo action out. They change in this order:
//   1. The undone execution notes the intention: the id that the child will have, and `running` or `held`. With this commit no second
//      undo can begin. If the process dies here, there is no child; the sweeper finds none after the lease and gives the undo up.
//   2. The child is submitted as any action is: it runs, is held or is rejected, with its own policies and evidence.
//   3. The undone execution takes over the end of the child: `undone`, or `executed` with a failed or refused undo. If the process dies
//      before, the sweeper does this from the stored child.
// The child is not stored first, because an undo action that ran without a note on its pair could run twice. Both are not stored in one
// transaction, because the child may wait for people for days, or call a target. Step 3 may happen twice: the second finds the undo
// ended, and changes nothing.
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
  // With a child, the child's commit is the one that the request asked for.
  await ctx.table.commit([...writes, ...back], child ? undefined : was.id)
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
      measures: state === 'failed' ? [['u', 0]] : [], // a refused undo was never tried
    },
  ])
  await ctx.table.commit(writes)
  return execution
}
