import { httpResponse } from '../../shared/base/wire/call.ts'
import type { Stored } from '../../shared/base/table/entity.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { DatasetView, datasetView, readDataset } from '../../shared/learn/datasets/dataset-view.ts'
import type { Dataset } from '../../shared/learn/datasets/dataset.ts'
import { GenerationBody, requestGeneration } from '../../shared/learn/generation/request-generation.ts'
import { training } from './routes.ts'

export const shapes = { body: GenerationBody, response: DatasetView }

const accepted = (dataset: Stored<Dataset>) =>
  httpResponse(202, datasetView(dataset), { Location: `/api/v1/ai-training/datasets/${dataset.id}` })

export const handler = endpoint(
  training.generateDataset,
  shapes,
  async ({ body, ctx }) => accepted(await requestGeneration(ctx, body)),
  { replay: async (ctx, id) => accepted(await readDataset(ctx, id)) },
)
