// The daily step of the snapshots.
import type { Context } from '../../base/context.ts'
import { logHead } from '../../ledger/events/log.ts'
import { digest } from '../../ledger/events/event.ts'
import { requestSnapshot } from './request-snapshot.ts'

export const hasExecutions = async (ctx: Context): Promise<boolean> => ((await logHead(ctx)).counts.executions ?? 0) > 0

/** One snapshot for all days that it makes up for: its window reaches back over them. */
export async function scheduleSnapshot(ctx: Context, slots: readonly number[]): Promise<void> {
  const { tenant_id, mode } = ctx.space
  const id = `snp_${digest(`${tenant_id}#${mode}#snapshot#${slots.at(-1)}`)}`
  await requestSnapshot(ctx, { trigger: 'schedule', id, window_days: undefined, node_id: undefined })
}
