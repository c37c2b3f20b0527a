import type { Context } from '../../base/context.ts'
import { resolveAlertsOf } from '../alerts/move-alert.ts'
import { builtInId, burnRuleName } from '../definitions/definition.ts'
import { remove } from '../definitions/definitions.ts'
import { SLOS } from '../slos/slo.ts'

/** Its alerts are resolved after the commit: the next look at the metrics ends those that a crash left open. */
export async function deleteSlo(ctx: Context, of: { id: string; version: number | undefined }): Promise<undefined> {
  await remove(ctx, SLOS, of)
  await resolveAlertsOf(ctx, [builtInId('rul', ctx.space, burnRuleName(of.id))])
  return undefined
}
