import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { plainText } from '../../base/wire/fields.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import {
  type Dataset,
  DATASET_FORMATS,
  DATASET_SOURCES,
  DATASET_STATUSES,
  datasets,
  datasetsPartition,
} from './dataset.ts'
import { datasetView } from './dataset-view.ts'

export const DatasetQuery = z.object({
  status: z.enum(DATASET_STATUSES).optional().describe('Only those in this state.'),
  format: z.enum(DATASET_FORMATS).optional().describe('Only those with rows of this form.'),
  source: z.enum(DATASET_SOURCES).optional().describe('Only those made from this source.'),
  name: plainText(100).optional().describe('Only the versions of this name.'),
})

/** Newest first. */
export async function listDatasets(ctx: Context, query: ListQuery & z.output<typeof DatasetQuery>) {
  const { status, format, source, name } = query
  const wanted = Object.entries({ status, format, source, name }).filter(([, value]) => value !== undefined)
  const list: ListSource<Stored<Dataset>, Space & { id: string }> = {
    of: datasets,
    index: 'gsi1',
    groups: [{ name: 'all', partitions: [datasetsPartition(ctx.space)] }],
    ...(wanted.length > 0 && {
      filter: (item) => wanted.every(([member, value]) => item[member as keyof typeof item] === value),
    }),
  }
  const page = await paginate(ctx, 'training-list-datasets', query, list)
  return { ...page, items: page.items.map(datasetView) }
}
