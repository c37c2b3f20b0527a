// What is stored or erased outside the counting of the log, counted in the transaction that does it.
import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import { Sums } from '../../base/kernel/count.ts'
import { hourOf, usageItemsOf } from './usage-item.ts'

/** `bytes`: less than nothing for what goes. Three items of a transaction at most. */
export function storageChange(ctx: Context, bytes: number): Write[] {
  const sums = new Sums()
  for (const item of usageItemsOf(ctx.space, hourOf(ctx.now()))) sums.add(item, 'storage_bytes', bytes)
  return sums.writes()
}
