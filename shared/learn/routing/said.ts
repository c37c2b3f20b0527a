// What a proposal says, held against what holds now.
import type { Context } from '../../base/context.ts'
import { conflict, invalid, notFound } from '../../base/lib/failure.ts'
import { findModel } from '../models/model.ts'
import { freeSlotFor } from '../models/move-model.ts'
import { actionFacts } from './action-facts.ts'
import type { ProposeBody } from './propose-update.ts'
import { changeOf } from './rules.ts'
import type { RoutingUpdate } from './update.ts'

type Said = Pick<
  RoutingUpdate,
  'type' | 'node_id' | 'action_id' | 'endpoint_sha256' | 'slot' | 'model_sha256' | 'from' | 'to' | 'loosens'
>
type Asked = ProposeBody extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'snapshot_id' | 'rationale'>
    : never
  : never

/** Throws 404 for an unknown action or model, 422 for what no update may do, 409 for a model that cannot take its slot now. */
export const saidBy = (ctx: Context, asked: Asked): Promise<Said> =>
  asked.type === 'model_change' ? ofSlot(ctx, asked) : ofAction(ctx, asked)

async function ofAction(ctx: Context, asked: Exclude<Asked, { type: 'model_change' }>): Promise<Said> {
  const facts = await actionFacts(ctx, asked)
  if (!facts) throw notFound('action')
  const { node_id, action_id, endpoint_sha256 } = facts
  return { ...changeOf(facts, asked), node_id, action_id, endpoint_sha256 }
}

/** It loosens nothing for good: no model lowers a tier. */
async function ofSlot(ctx: Context, { type, slot, to }: Extract<Asked, { type: 'model_change' }>): Promise<Said> {
  const model = await findModel(ctx, to)
  if (model.name !== slot) throw invalid(['to'], `is a model of the slot ${model.name}.`)
  if (model.quality_gate !== 'passed')
    throw conflict(`The quality gate of this model is ${model.quality_gate}. Ask for its deployment, and say why.`)
  const { deployed = null } = await freeSlotFor(ctx, model)
  return { type, slot, model_sha256: model.artifact.sha256, from: deployed, to, loosens: false }
}
