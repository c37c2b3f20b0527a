import * as z from 'zod'
import type { Stored } from '../../base/table/entity.ts'
import { Dataset, DatasetFile } from './dataset.ts'

export const DatasetView = Dataset.omit({
  mode: true,
  artifact: true,
  attempt: true,
  due_at: true,
  upload: true,
}).extend({
  evidence_artifact_id: z.string(),
  version: z.int(),
})

/** Of a single dataset. Addresses of files are for callers who may read evidence. */
export const SharedDatasetView = DatasetView.extend({
  files: z.array(DatasetFile.extend({ url: z.string().optional() })),
  /** Until when the addresses of files work. */
  urls_expire_at: z.string().optional(),
})

export function datasetView(dataset: Stored<Dataset>): z.output<typeof DatasetView> {
  const { artifact, _v: version, mode: _mode, attempt: _attempt, due_at: _due, upload: _upload, ...shown } = dataset
  return { ...shown, evidence_artifact_id: artifact.id, version }
}
