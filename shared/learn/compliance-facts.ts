// What checks of compliance read of datasets, deployed models and routing updates.
import type { FactAsk, FactSources, ModelFact, OptionalFacts } from '../base/ports/check-facts.ts'
import { firstId } from '../base/lib/ids.ts'
import { wholeRange } from '../base/table/whole.ts'
import { datasets as datasetItems, datasetsPartition } from './datasets/dataset.ts'
import { approvals } from '../govern/approvals/approval.ts'
import type { Context } from '../base/context.ts'
import { allSlots, type Model, models as modelItems, modelsPartition, type Slot, SLOTS_MAX } from './models/model.ts'
import { DAY_MS } from '../base/lib/clock.ts'
import { inParallel } from '../base/lib/in-parallel.ts'
import { key } from '../base/table/entity.ts'
import { auditEntries, resourcePartition } from '../ledger/audit/entry.ts'
import { readable } from '../ledger/evidence/artifact/artifact.ts'
import { learningPartition, type RoutingUpdate, routingUpdates } from './routing/update.ts'

const MOST = 20_000

/** The datasets that can be trained from. One that reports nothing about personal data was not redacted. */
async function datasets({ ctx: { table, space }, since }: FactAsk): Promise<OptionalFacts['datasets']> {
  const range = { pk: datasetsPartition(space), index: 'gsi1', from: firstId('dst', since) } as const
  const found = await wholeRange(table, datasetItems, range, MOST)
  return found
    .filter(({ status }) => status === 'ready')
    .map(({ id, pii }) => ({
      id,
      redacted: pii !== undefined && pii.mode !== 'keep',
      residual_findings: pii?.residual ?? 0,
    }))
}

/** The approvals of a deployment are looked up: that the model says so proves nothing. */
async function models({ ctx }: FactAsk): Promise<ModelFact[]> {
  const { table, space } = ctx
  const range = { pk: modelsPartition(space, true), index: 'gsi1' } as const
  const [deployed, slots] = await Promise.all([wholeRange(table, modelItems, range, SLOTS_MAX), allSlots(table, space)])
  const histories = new Map(slots.map((slot) => [slot.slot, slot.history]))
  return Promise.all(deployed.map((model) => modelFact(ctx, model, histories.get(model.name) ?? [])))
}

async function modelFact(ctx: Context, model: Model, history: Slot['history']): Promise<ModelFact> {
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
  return (await table.get(modelItems, { ...space, id: previous_model_id }))?.approved === true
}

/** `test`: figures on rows that the model was not trained on. */
function isMeasured(metrics: string): boolean {
  const { test } = JSON.parse(metrics) as { test?: unknown }
  return typeof test === 'object' && test !== null && Object.values(test).some((value) => typeof value === 'number')
}

/** Longer than an update waits for its approval and, approved, to be applied. */
export const WAITS_MS = 40 * DAY_MS
const AT_ONCE = 10

/** Each update that was applied, and whether the audit log shows what it changed. */
async function routing({ ctx, since }: FactAsk): Promise<OptionalFacts['routing']> {
  const from = key('RTU', firstId('rtu', Math.max(0, since - WAITS_MS)))
  const range = { pk: learningPartition(ctx.space), from, to: 'RTU#~' }
  const all = await wholeRange(ctx.table, routingUpdates, range, MOST)
  const applied = all.filter(({ applied_at }) => applied_at !== undefined && Date.parse(applied_at) >= since)
  return inParallel(AT_ONCE, applied, async (update) => ({ id: update.id, traced: await isTraced(ctx, update) }))
}

async function isTraced({ table, space }: Context, { id, type, from, to }: RoutingUpdate): Promise<boolean> {
  const pk = resourcePartition(space, { type: 'routing_update', id })
  const entries = await table.query(readable(auditEntries), { pk, index: 'gsi2' })
  return entries.some((entry) =>
    entry?.changes.some(({ path, before, after }) => path === type && before === from && after === to),
  )
}

export const learnFacts = { datasets, models, routing } satisfies Partial<FactSources>
