import type { Context } from '../../base/context.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals } from './approval.ts'

/**
 * Reads approvals again that seem to contradict their evidence, and returns those that have changed since, by id. Their
 * execution was read later, so it may name a newer vote.
 */
export async function changedSinceRead(ctx: Context, suspects: readonly Stored<Approval>[]) {
  const again = await ctx.table.getAll(
    readable(approvals),
    suspects.map(({ id }) => ({ ...ctx.space, id })),
  )
  const versions = new Map(suspects.map(({ id, _v }) => [id, _v]))
  return new Map(again.flatMap((one) => (one && one._v !== versions.get(one.id) ? [[one.id, one] as const] : [])))
}
