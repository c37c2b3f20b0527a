import { endpoint } from '../../shared/edge/endpoint.ts'
import { readDataset, SharedDatasetView } from '../../shared/learn/datasets/dataset-view.ts'
import { shareFiles } from '../../shared/learn/datasets/share-files.ts'
import { training } from './routes.ts'

export const shapes = { response: SharedDatasetView }

export const handler = endpoint(training.getDataset, shapes, async ({ params, ctx }) =>
  shareFiles(ctx, await readDataset(ctx, params.dataset_id)),
)
