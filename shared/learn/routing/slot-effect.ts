// What an update of a slot puts into effect: its model is loaded, tested and deployed, under the approval of the update.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { deployUnder, freeSlotFor } from '../models/move-model.ts'
import { findModel } from '../models/model.ts'
import type { UpdateEffect } from './rule-effect.ts'
import { slotEvent } from './rule-event.ts'
import type { RoutingUpdate } from './update.ts'

/** Throws 409 when another model stands in the slot by now, or the model's file is another. */
export async function slotEffect(ctx: Context, was: RoutingUpdate, approval_id: string): Promise<UpdateEffect> {
  const { execution_id } = was
  const model = await findModel(ctx, String(was.to))
  const slot = await freeSlotFor(ctx, model)
  const isThat = model.name === was.slot && model.artifact.sha256 === was.model_sha256
  if (!isThat || (slot.deployed ?? null) !== was.from)
    throw conflict('What the update changes has changed since it was proposed. Propose it again.')
  return {
    change: {},
    writes: () => deployUnder(ctx, { was: model, slot, execution_id, approval_id }),
    event: (update) => slotEvent(update, model.model_version),
  }
}
