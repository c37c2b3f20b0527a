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
