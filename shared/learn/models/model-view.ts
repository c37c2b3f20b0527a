// Models as the API shows and lists them.
import * as z from 'zod'
import type { Stored } from '../../base/table/entity.ts'
import { freeForm } from '../../base/wire/fields.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { type Dataset, datasets } from '../datasets/dataset.ts'
import { allSlots, Model, MODEL_STATUSES, models, modelsPartition, Slot, SLOT } from './model.ts'
import type { Context, Space } from '../../base/context.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'

export const ModelView = Model.omit({
  mode: true,
  metrics: true,
  status_before: true,
  predictions: true,
  due_at: true,
  attempts: true,
}).extend({
  metrics: freeForm.describe('What was measured of the model.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  approved: z.boolean().describe('A deployment of it was approved at some time.'),
  trained_on_erased: z.boolean().describe('A payload that it was trained on was erased since.'),
  slot_history: Slot.shape.history.optional().describe('The last 50 changes of its slot, the newest last.'),
})

type Beside = { slot?: Slot | undefined; dataset?: Pick<Dataset, 'status'> | undefined }

/** `dataset`: the one that it was trained on, which becomes stale when a payload in it is erased. */
export const modelView = (model: Stored<Model>, { slot, dataset }: Beside = {}) => ({
  ...model,
  metrics: JSON.parse(model.metrics) as JsonObject, // stored from JSON
  version: model._v,
  approved: model.approved ?? false,
  trained_on_erased: dataset?.status === 'stale',
  ...(slot && { slot_history: slot.history }),
})

export const ModelQuery = z.object({
  status: z.enum(MODEL_STATUSES).optional().describe('Only those in this state.'),
  name: z.string().regex(SLOT, 'must be the name of a slot').optional().describe('Only the versions of this name.'),
})

/** Deployed models first, then the newest first. Each shows the history of its slot, and whether its dataset is stale. */
export async function listModels(ctx: Context, query: ListQuery & z.output<typeof ModelQuery>) {
  const { status, name } = query
  const wanted = (model: Model) => (status ?? model.status) === model.status && (name ?? model.name) === model.name
  const known = await allSlots(ctx.table, ctx.space)
  const list: ListSource<Stored<Model>, Space & { id: string }> = {
    of: models,
    index: 'gsi1',
    groups: [true, false].map((isDeployed) => ({
      name: isDeployed ? 'deployed' : 'others',
      partitions: [modelsPartition(ctx.space, isDeployed)],
    })),
    filter: wanted,
  }
  const page = await paginate(ctx, 'training-list-models', query, list)
  const sources = await datasetsOf(ctx, page.items)
  const viewOf = (model: Stored<Model>) =>
    modelView(model, { slot: slotOf(known, model), dataset: sources.get(model.dataset_id ?? '') })
  return { ...page, items: page.items.map(viewOf) }
}

async function datasetsOf({ table, space }: Context, listed: readonly Model[]): Promise<Map<string, Dataset>> {
  const ids = new Set(listed.flatMap(({ dataset_id }) => dataset_id ?? []))
  const found = await table.getAll(
    datasets,
    [...ids].map((id) => ({ ...space, id })),
  )
  return new Map(found.map((dataset) => [dataset.id, dataset]))
}

const slotOf = (known: readonly Slot[], { name }: Model) => known.find(({ slot }) => slot === name)
