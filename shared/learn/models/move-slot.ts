// Puts a model into its slot, as part of a commit: the slot with its history, and what decisions read of it.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import type { Model } from './model.ts'
import { type Slot, slots, type Turn, withTurn } from './slot.ts'

/** Throws 409 for a slot that no model was ever registered for. */
export async function findSlot({ table, space }: Context, slot: string): Promise<Stored<Slot>> {
  const found = await table.get(slots, { ...space, slot })
  if (!found) throw conflict(`There is no slot ${slot}.`)
  return found
}

/** Which model is in the slot from then on; a test of the former one ends with its place. */
export async function placed(
  ctx: Context,
  was: Stored<Slot>,
  { id, name, model_version, artifact }: Model,
  turn: Omit<Turn, 'at'>,
): Promise<Write[]> {
  const { table, space } = ctx
  const learned = await table.get(learnedItems, space)
  const { sha256, uri } = artifact
  const there = { model_id: id, version: model_version, sha256, uri }
  const next = { ...space, slots: { ...learned?.slots, [name]: there } }
  return [
    changeSlot(was, { deployed: id, open: undefined, history: withTurn(was.history, { ...turn, at: iso(ctx.now()) }) }),
    learned ? learnedItems.replace(next, learned, new Overtaken()) : learnedItems.insert(next, new Overtaken()),
  ]
}

export const changeSlot = (was: Stored<Slot>, change: Partial<Slot>): Write =>
  slots.replace({ ...was, ...change }, was, new Overtaken())
