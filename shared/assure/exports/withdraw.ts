// Withdraws packs with payloads after an erasure, because they hold copies of what was erased.
import type { Context } from '../../base/context.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { type Export, EXPORT_STATES, exports, exportsPartition } from './export.ts'
import { removeFile } from '../../base/aws/files.ts'

const WITHDRAWN = 'The export was withdrawn, because a payload in it may have been erased. Request it again.'

/** Withdraws the packs of this tenant and mode. A pack still being made is then not published. */
export async function withdrawPacks(ctx: Context): Promise<void> {
  const all = await ctx.table.query(exports, { pk: exportsPartition(ctx.space), index: 'gsi1' })
  for (const item of all) {
    if (item.ask.type === 'evidence' && item.ask.include_payloads && item.status !== 'failed') await withdraw(ctx, item)
  }
}

async function withdraw(ctx: Context, item: Stored<Export>): Promise<void> {
  if (item.file) await removeFile(item.file.key)
  mustAllowMove(EXPORT_STATES, item.status, 'failed')
  try {
    await ctx.table.commit([exports.replace({ ...item, status: 'failed', due_at: undefined, error: WITHDRAWN }, item)])
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const now = await ctx.table.get(exports, item)
    if (now && now.status !== 'failed') await withdraw(ctx, now) // it was published meanwhile
  }
}
