// Sets the targets of a tenant's figures.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { readTargets, type Target, type TargetList, targetLists, versionOf } from './targets.ts'

/** Replaces the whole list. Throws 409 when `version` names another than the present one. */
export async function setTargets(ctx: Context, targets: Target[], version: number | undefined): Promise<TargetList> {
  const was = await readTargets(ctx)
  mustBeCurrent(version, versionOf(was))
  const { kind: type, id } = ctx.principal
  const next = { ...ctx.space, targets, updated_at: iso(ctx.now()), updated_by: { type, id } }
  await ctx.table.commit([
    was ? targetLists.replace(next, was, new ChangedMeanwhile()) : targetLists.insert(next, new ChangedMeanwhile()),
    ...changed(ctx, [
      {
        action: 'metrics_targets.updated',
        artifact: 'metrics.targets.updated',
        subject: { type: 'tenant', id: ctx.space.tenant_id },
        data: { targets: targets.map(({ metric, op, value }) => `${metric} ${op} ${value}`) },
      },
    ]),
  ])
  return { ...next, _v: (was?._v ?? 0) + 1 }
}
