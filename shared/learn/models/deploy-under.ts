// Lets the worker load, test and deploy a model under an approval that was given already, as part of a commit.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { type Model, moveModel } from './model.ts'
import { changeSlot } from './move-slot.ts'
import type { Slot } from './slot.ts'

type Under = { was: Stored<Model>; slot: Stored<Slot>; execution_id: string; approval_id: string }

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
  return [write, taken, ...recorded(ctx, [transition])]
}
