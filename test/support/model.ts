// Registered models, as a training or a registration would have stored them.
import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { Stored } from '../../shared/base/table/entity.ts'
import { commitWith } from '../../shared/ledger/evidence/artifact/record.ts'
import type { Model } from '../../shared/learn/models/model.ts'
import { type NewModel, registerModel } from '../../shared/learn/models/register-model.ts'

function newFacts(ctx: Context): NewModel {
  const { tenant_id, mode } = ctx.space
  const id = ctx.id('mdl')
  const uri = `models/${tenant_id}/${mode}/${id}`
  const artifact = { uri, sha256: 'f'.repeat(64), bytes: 100, format: 'countersign-linear-1' }
  return { id, name: 'approval-scorer', type: 'approval', artifact, metrics: '{}', quality_gate: 'passed' }
}

/** Without its evidence. */
export const newModel = (ctx: Context): Model => ({
  ...ctx.space,
  ...newFacts(ctx),
  model_version: 1,
  status: 'registered',
  created_at: iso(ctx.now()),
  updated_at: iso(ctx.now()),
  created_by: { type: 'system', id: 'system' },
  evidence_artifact_id: 'art_01JD3Q8Z5NB4E6G8J0M2P4R6T8',
})

export async function registered(ctx: Context, over: Partial<NewModel> = {}): Promise<Stored<Model>> {
  const { model, writes, transition } = await registerModel(ctx, { ...newFacts(ctx), ...over })
  await ctx.table.commit([...writes, ...commitWith(ctx, [transition])])
  return { ...model, _v: 1 }
}
