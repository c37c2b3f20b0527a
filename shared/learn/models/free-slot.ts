// Whether a model may take its slot now.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored } from '../../base/table/entity.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import { type Model, MODEL_STATES } from './model.ts'
import { findSlot } from './move-slot.ts'
import type { Slot } from './slot.ts'

/** Throws 409 for a model that is deployed or waits, and while the slot has an open deployment or a test. */
export async function freeSlotFor(ctx: Context, { name, status }: Model): Promise<Stored<Slot>> {
  mustAllowMove(MODEL_STATES, status, 'pending_approval')
  const [slot, learned] = await Promise.all([findSlot(ctx, name), ctx.table.get(learnedItems, ctx.space)])
  if (slot.open) throw conflict(`The slot ${name} has an open deployment, of ${slot.open.model_id}.`)
  if (learned?.slots[name]?.test) throw conflict(`A test runs on the slot ${name}. Complete it first.`)
  return slot
}
