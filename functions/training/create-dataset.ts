import { httpResponse } from '../../shared/base/wire/call.ts'
import type { Stored } from '../../shared/base/table/entity.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { DatasetView, readDataset } from '../../shared/learn/datasets/dataset-view.ts'
import type { Dataset } from '../../shared/learn/datasets/dataset.ts'
import { awaitedView, createDataset, DatasetBody, UploadAddress } from '../../shared/learn/uploads/create-dataset.ts'
import { training } from './routes.ts'

export const shapes = {
  body: DatasetBody,
  response: DatasetView.extend({ upload: UploadAddress.optional().describe('How to upload the file.') }),
}

const created = (dataset: Stored<Dataset>, now: number) =>
  httpResponse(201, awaitedView(dataset, now), { Location: `/api/v1/ai-training/datasets/${dataset.id}` })

/** A repeat with the same Idempotency-Key gives a new address while the file is awaited. */
export const handler = endpoint(
  training.createDataset,
  shapes,
  async ({ body, ctx }) => created(await createDataset(ctx, body), ctx.now()),
  { replay: async (ctx, id) => created(await readDataset(ctx, id), ctx.now()) },
)
