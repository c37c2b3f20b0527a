import type { Context } from '../../base/context.ts'
import { exports, exportsPartition } from './export.ts'

/** Whether a pack with payloads is being made, which fails when one of them goes meanwhile. */
export async function makesPayloads(ctx: Context): Promise<boolean> {
  const all = await ctx.table.query(exports, { pk: exportsPartition(ctx.space), index: 'gsi1' })
  return all.some(({ status, ask }) => status === 'processing' && ask.type === 'evidence' && ask.include_payloads)
}
