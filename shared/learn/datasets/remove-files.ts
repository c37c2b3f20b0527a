import { removeFile } from '../../base/aws/files.ts'
import { type Dataset, type DatasetFile, datasetKey } from './dataset.ts'

/** Safe to repeat. */
export async function removeFiles(dataset: Dataset, files: readonly DatasetFile[]): Promise<void> {
  for (const { path } of files) await removeFile(datasetKey(dataset, path))
}
