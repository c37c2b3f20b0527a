// Cancels the held requests of somebody who loses access, because nobody would answer for them any more.
import { type Context, createContext, type Mode } from '../../base/context.ts'
import { type Execution, executions } from '../executions/execution.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import { type Approval, approvals, openPartition, statusPartition } from './approval.ts'
import { type End, endHeld } from './end.ts'

/** `id` is that of the person or key. */
export type Requester = { id: string; mode: Mode; reason: string }

/** Cancels every pending request of the requester. A repeat changes nothing. */
export async function cancelRequests(from: Context, { id, mode, reason }: Requester): Promise<void> {
  const ctx = createContext({ ...from, space: { ...from.space, mode } })
  const waiting = await ctx.table.query(approvals, { pk: openPartition(ctx.space, id), index: 'gsi3' })
  for (const held of waiting) if (held.status === 'pending') await cancelRequest(from, held, reason)
}

/** A client that may not act any more, for this person or at all. */
export type Through = { client_id: string; user_id?: string | undefined; reason: string }

/** The newest are enough: a request that is not cancelled here is refused when somebody decides on it. */
const WAITING_MAX = 1_000

/** Cancels the waiting requests of a client: its own, and those in the names of people. A repeat changes nothing. */
export async function cancelThrough(from: Context, { client_id, user_id, reason }: Through): Promise<void> {
  const newest = { descending: true, limit: WAITING_MAX } as const
  for (const mode of MODES) {
    const space = { ...from.space, mode }
    const waiting = await from.table.query(
      approvals,
      user_id === undefined
        ? { pk: statusPartition(space, 'pending'), index: 'gsi1', ...newest }
        : { pk: openPartition(space, user_id), index: 'gsi3', ...newest },
    )
    for (const held of waiting) {
      const isIts = held.client_id === client_id || (held.requested_by.id === client_id && user_id === undefined)
      if (isIts && held.status === 'pending') await cancelRequest(from, held, reason)
    }
  }
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
