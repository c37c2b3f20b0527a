// A dataset as the API shows and lists it.
import * as z from 'zod'
import type { Stored } from '../../base/table/entity.ts'
import {
  Dataset,
  DATASET_FORMATS,
  DATASET_SOURCES,
  DATASET_STATUSES,
  DatasetFile,
  datasets,
  datasetsPartition,
} from './dataset.ts'
import type { Context, Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { plainText } from '../../base/wire/fields.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'

export const DatasetView = Dataset.omit({
  mode: true,
  artifact: true,
  attempt: true,
  due_at: true,
  upload: true,
}).extend({
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

/** Of a single dataset. Addresses of files are for callers who may read evidence. */
export const SharedDatasetView = DatasetView.extend({
  files: z
    .array(
      DatasetFile.extend({
        url: z.string().optional().describe('Where to download it; only for callers who may read evidence.'),
      }),
    )
    .describe('Its files; `manifest.json` has the hash of each.'),
  urls_expire_at: z.string().optional().describe('Until when the addresses of the files work.'),
})

export function datasetView(dataset: Stored<Dataset>): z.output<typeof DatasetView> {
  const { artifact, _v: version, mode: _mode, attempt: _attempt, due_at: _due, upload: _upload, ...shown } = dataset
  return { ...shown, evidence_artifact_id: artifact.id, version }
}

const DATASET_ID = idPattern('dst')

/** Throws 404. */
export async function readDataset(ctx: Context, id: string): Promise<Stored<Dataset>> {
  const found = DATASET_ID.test(id) ? await ctx.table.get(datasets, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('dataset')
  return found
}

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
