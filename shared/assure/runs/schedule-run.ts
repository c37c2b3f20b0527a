// The hourly step of the checks, which requests the scheduled runs of a space.
import type { Context } from '../../base/context.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { digest } from '../../ledger/events/event.ts'
import { newestSlot } from '../../ledger/steps/run-step.ts'
import { compliancePartition } from '../checks/check-result.ts'
import { requestRun } from '../checks/request-run.ts'
import { frameworks } from '../frameworks/framework.ts'

/** Checks run by themselves where a framework is enabled. */
export async function hasFramework({ table, space }: Context): Promise<boolean> {
  const all = await table.query(frameworks, { pk: compliancePartition(space), prefix: 'FW#' })
  return all.some(({ enabled }) => enabled)
}

/** One run for all slots that it makes up for: of all checks where one of them is the daily slot of the space. */
export async function scheduleRun(ctx: Context, slots: readonly number[]): Promise<void> {
  const { tenant_id, mode } = ctx.space
  const id = `run_${digest(`${tenant_id}#${mode}#checks#${slots.at(-1)}`)}`
  const isDaily = slots.some((slot) => newestSlot(ctx.space, 'day', slot) === slot)
  const enqueue = await retryWhenChanged(async () => {
    const run = await requestRun(ctx, { trigger: 'schedule', scope: isDaily ? 'full' : 'hourly', id })
    if (run.writes.length > 0) await ctx.table.commit(run.writes)
    return run.enqueue
  })
  await enqueue()
}
