// Puts a model into its slot, as part of a commit: the slot with its history, and what decisions read of it.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { learnedItems } from '../../govern/learned/learned.ts'
import { type Model, MODEL_STATES, moveModel, type Slot, slots, type Turn, withTurn } from './model.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'

/** Throws 409 for a slot that no model was ever registered for. */
export async function findSlot({ table, space }: Context, slot: string): Promise<Stored<Slot>> {
  const found = await table.get(slots, { ...space, slot })
  if (!found) throw conflict(`There is no slot ${slot}.`)
  return found
}

/** The writes that put a model into its slot. A test of the former model ends with them. */
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
    learned
      ? learnedItems.replace(next, learned, new ChangedMeanwhile())
      : learnedItems.insert(next, new ChangedMeanwhile()),
  ]
}

export const changeSlot = (was: Stored<Slot>, change: Partial<Slot>): Write =>
  slots.replace({ ...was, ...change }, was, new ChangedMeanwhile())

/**
 * The slot of a model that may take it now. Throws 409 for one that is deployed or waits, and while the slot has an open deployment
 * or a test.
 */
export async function freeSlotFor(ctx: Context, { name, status }: Model): Promise<Stored<Slot>> {
  mustAllowMove(MODEL_STATES, status, 'pending_approval')
  const [slot, learned] = await Promise.all([findSlot(ctx, name), ctx.table.get(learnedItems, ctx.space)])
  if (slot.open) throw conflict(`The slot ${name} has an open deployment, of ${slot.open.model_id}.`)
  if (learned?.slots[name]?.test) throw conflict(`A test runs on the slot ${name}. Complete it first.`)
  return slot
}

type Under = { was: Stored<Model>; slot: Stored<Slot>; execution_id: string; approval_id: string }

/** Lets the worker load, test and deploy a model under an approval that exists already, as part of a commit. */
export function deployUnder(ctx: Context, { was, slot, execution_id, approval_id }: Under): Write[] {
  const { write, transition } = moveModel(ctx, was, 'deploying', {
    approved: true,
    execution_id,
    approval_id,
    override_reason: undefined,
    status_before: undefined,
    error: undefined,
    due_at: iso(ctx.now()),
    attempts: 0,
  })
  const taken = changeSlot(slot, { open: { model_id: was.id, execution_id } })
  return [write, taken, ...commitWith(ctx, [transition])]
}
