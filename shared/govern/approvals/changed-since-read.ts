import type { Context } from '../../base/context.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals } from './approval.ts'

/**
 * Of approvals that seem to contradict their evidence, as they stand by now, those that somebody voted on or decided since
 * they were read: their execution was read later, and knew more.
 */
export async function changedSinceRead(ctx: Context, suspects: readonly Stored<Approval>[]) {
  const again = await ctx.table.getAll(
    readable(approvals),
    suspects.map(({ id }) => ({ ...ctx.space, id })),
  )
  const versions = new Map(suspects.map(({ id, _v }) => [id, _v]))
  return new Map(again.flatMap((one) => (one && one._v !== versions.get(one.id) ? [[one.id, one] as const] : [])))
}
