import { endpoint } from '../../shared/edge/endpoint.ts'
import { SharedDatasetView } from '../../shared/learn/datasets/dataset-view.ts'
import { readDataset } from '../../shared/learn/datasets/find-dataset.ts'
import { shareFiles } from '../../shared/learn/datasets/share-files.ts'
import { training } from './routes.ts'

export const shapes = { response: SharedDatasetView }

export const handler = endpoint(training.getDataset, shapes, async ({ params, ctx }) =>
  shareFiles(ctx, await readDataset(ctx, params.dataset_id)),
)
