// Withdraws packs with payloads after an erasure, because they hold copies of the erased payloads.
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryChange } from '../../base/kernel/retry.ts'
import { type Export, exports, exportsPartition, moveExport } from './export.ts'
import { removeFile } from '../../base/aws/files.ts'

const TRIES = 8
const WITHDRAWN = 'The export was withdrawn, because a payload in it may have been erased. Request it again.'

/** Withdraws the packs of this tenant and mode. A pack still being made is then not published. */
export async function withdrawPacks(ctx: Context): Promise<void> {
  const all = await ctx.table.query(exports, { pk: exportsPartition(ctx.space), index: 'gsi1' })
  for (const item of all) {
    if (item.ask.type === 'evidence' && item.ask.include_payloads && item.status !== 'failed') await withdraw(ctx, item)
  }
}

/** One that is published meanwhile is withdrawn as well. */
const withdraw = (ctx: Context, listed: Stored<Export>): Promise<void> =>
  retryChange(TRIES, async (attempt) => {
    const item = attempt === 1 ? listed : await ctx.table.get(exports, listed)
    if (!item || item.status === 'failed') return
    if (item.file) await removeFile(item.file.key)
    await ctx.table.commit([moveExport(item, 'failed', { due_at: undefined, error: WITHDRAWN }).write])
  })
