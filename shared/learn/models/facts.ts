import type { FactAsk, ModelFact } from '../../base/ports/facts.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import type { Context } from '../../base/context.ts'
import { allSlots, type Model, models as items, modelsPartition, type Slot, SLOTS_MAX } from './model.ts'

/** The approvals of a deployment are looked up: that the model says so proves nothing. */
export async function models({ ctx }: FactAsk): Promise<ModelFact[]> {
  const { table, space } = ctx
  const range = { pk: modelsPartition(space, true), index: 'gsi1' } as const
  const [deployed, slots] = await Promise.all([wholeRange(table, items, range, SLOTS_MAX), allSlots(table, space)])
  const histories = new Map(slots.map((slot) => [slot.slot, slot.history]))
  return Promise.all(deployed.map((model) => factOf(ctx, model, histories.get(model.name) ?? [])))
}

async function factOf(ctx: Context, model: Model, history: Slot['history']): Promise<ModelFact> {
  const [approved, can_return] = await Promise.all([wasApproved(ctx, model, history), canReturn(ctx, model, history)])
  const { id, dataset_id, dataset_sha256, metrics } = model
  return { id, approved, can_return, measured: isMeasured(metrics) && Boolean(dataset_id && dataset_sha256) }
}

/** A model that came back into its slot was approved when it was first put there. */
async function wasApproved({ table, space }: Context, { id, approval_id }: Model, history: Slot['history']) {
  const ids = [approval_id, ...history.filter(({ model_id }) => model_id === id).map((turn) => turn.approval_id)]
  const known = [...new Set(ids)].filter((one) => one !== undefined)
  const found = await table.getAll(
    approvals,
    known.map((one) => ({ ...space, id: one })),
  )
  return found.some(({ status }) => status === 'approved')
}

async function canReturn({ table, space }: Context, { id, previous_model_id }: Model, history: Slot['history']) {
  const isFirst = !history.some(({ model_id, to }) => model_id !== id && to === 'deployed')
  if (previous_model_id === undefined) return isFirst
  return (await table.get(items, { ...space, id: previous_model_id }))?.approved === true
}

/** `test`: what the model was not trained on. */
function isMeasured(metrics: string): boolean {
  const { test } = JSON.parse(metrics) as { test?: unknown }
  return typeof test === 'object' && test !== null && Object.values(test).some((value) => typeof value === 'number')
}
