import * as z from 'zod'
import type { Stored } from '../../base/table/entity.ts'
import { freeForm } from '../../base/wire/fields.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Dataset } from '../datasets/dataset.ts'
import { Model } from './model.ts'
import { Slot } from './slot.ts'

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
