import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Dataset, datasets } from './dataset.ts'

const DATASET_ID = idPattern('dst')

/** Throws 404. */
export async function readDataset(ctx: Context, id: string): Promise<Stored<Dataset>> {
  const found = DATASET_ID.test(id) ? await ctx.table.get(datasets, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('dataset')
  return found
}
