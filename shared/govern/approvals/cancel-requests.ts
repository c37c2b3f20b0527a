// Cancels the held requests of somebody who loses access, because nobody would answer for them any more.
import { type Context, createContext, type Mode } from '../../base/context.ts'
import { type Execution, executions } from '../executions/execution.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals, openPartition } from './approval.ts'
import { type End, endHeld } from './reject-held.ts'

/** `id` is that of the person or key. */
export type Requester = { id: string; mode: Mode; reason: string }

/** Cancels every pending request of the requester. A repeat changes nothing. */
export async function cancelRequests(from: Context, { id, mode, reason }: Requester): Promise<void> {
  const ctx = createContext({ ...from, space: { ...from.space, mode } })
  const waiting = await ctx.table.query(approvals, { pk: openPartition(ctx.space, id), index: 'gsi3' })
  for (const held of waiting) if (held.status === 'pending') await cancelRequest(from, held, reason)
}

/** Cancels one request, in the mode of the approval. False when somebody decided it at the same moment. */
export async function cancelRequest(from: Context, held: Stored<Approval>, reason: string): Promise<boolean> {
  const ctx = createContext({ ...from, space: { ...from.space, mode: held.mode } })
  const execution = await ctx.table.get(executions, { ...ctx.space, id: held.request_id })
  if (!execution) return false
  try {
    await cancelHeld(ctx, held, execution, { reason })
    return true
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error
    return false
  }
}

/** `ref` is set when the request asked for exactly this. Throws 409 when somebody decided or claimed it at the same moment. */
export function cancelHeld(
  ctx: Context,
  held: Stored<Approval>,
  execution: Stored<Execution>,
  why: Pick<End, 'reason' | 'ref'>,
): Promise<Stored<Execution>> {
  const cancelled: Approval = { ...held, status: 'cancelled', method: 'cancelled', decided_at: iso(ctx.now()) }
  const by = ctx.principal.id
  return endHeld(ctx, held, cancelled, execution, {
    status: 'cancelled',
    artifact: 'approval.cancelled',
    by,
    method: 'cancelled',
    ...why,
  })
}
