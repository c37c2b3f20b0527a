// What an approved deployment changes in the transaction of the approval, and what one that will never run leaves behind.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import type { BuiltInEffect } from '../../govern/executions/built-in-effects.ts'
import type { Write } from '../../base/table/entity.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { textOf } from './action-payload.ts'
import { findModel } from './find-model.ts'
import { models, moveModel } from './model.ts'
import { changeSlot } from './move-slot.ts'
import { allSlots } from './slot.ts'

export const deployEffect: BuiltInEffect = {
  /** From now on the worker may load and test it. */
  run: async (ctx, { execution, payload }) => {
    const was = await findModel(ctx, textOf(payload.model_id))
    if (was.execution_id !== execution.id) throw conflict('The model waits for another deployment by now.')
    const { write, transition } = moveModel(ctx, was, 'deploying', {
      approved: true,
      approval_id: execution.held?.id,
      due_at: iso(ctx.now()),
      attempts: 0,
    })
    return { writes: [write, ...recorded(ctx, [transition])], measures: [] }
  },

  ended: giveBack,
}

/** The model that waited returns to the state before, and its slot is free for another. */
async function giveBack(ctx: Context, { id }: Execution): Promise<Write[]> {
  const { table, space } = ctx
  const slot = (await allSlots(table, space)).find(({ open }) => open?.execution_id === id)
  const was = slot?.open && (await table.get(models, { ...space, id: slot.open.model_id }))
  if (!slot || was?.status !== 'pending_approval' || was.execution_id !== id) return []
  const { write, transition } = moveModel(ctx, was, was.status_before ?? 'registered', { status_before: undefined })
  return [write, changeSlot(slot, { open: undefined }), ...recorded(ctx, [transition])]
}
