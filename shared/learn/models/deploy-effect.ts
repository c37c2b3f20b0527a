// What actions on models change in the transaction of their execution: an approved deployment, a rollback of a slot, and the undo
// of that. A deployment that will never run gives its slot back.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import type { BuiltInEffect, Effect } from '../../govern/executions/built-in-effects.ts'
import type { Write } from '../../base/table/entity.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { allSlots, findModel, models, type ModelStatus, moveModel } from './model.ts'
import { changeSlot, findSlot, placed } from './move-model.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { wasApproved } from './was-approved.ts'
import type { Json } from '../../base/lib/json.ts'

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
    return { writes: [write, ...commitWith(ctx, [transition])], measures: [] }
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
  return [write, changeSlot(slot, { open: undefined }), ...commitWith(ctx, [transition])]
}

/** A rollback. The payload names the model in the slot and the one that takes its place. */
export const restorePreviousEffect: BuiltInEffect = {
  run: (ctx, { execution, payload }) => exchange(ctx, execution, turnOf(payload), 'rolled_back'),
}

/** The undo of a rollback. The payload holds that of the rollback, which it turns around. */
export const restoreNextEffect: BuiltInEffect = {
  run: (ctx, { execution, payload }) => {
    const { slot, from, to, reason } = turnOf(payload.payload as JsonObject) // as `undoPayload` makes it
    return exchange(ctx, execution, { slot, from: to, to: from, reason }, 'retired')
  },
}

type Exchange = { slot: string; from: string; to: string; reason: string }

const turnOf = ({ slot, model_id, to_model_id, reason }: JsonObject): Exchange => ({
  slot: textOf(slot),
  from: textOf(model_id),
  to: textOf(to_model_id),
  reason: textOf(reason),
})

/** `left`: what becomes of the model that leaves the slot. Throws 409 when the slot was changed since it was asked for. */
async function exchange(ctx: Context, execution: Execution, turn: Exchange, left: ModelStatus): Promise<Effect> {
  const [slot, from, to] = await Promise.all([
    findSlot(ctx, turn.slot),
    findModel(ctx, turn.from),
    findModel(ctx, turn.to),
  ])
  if (slot.deployed !== from.id || to.name !== from.name)
    throw conflict(`The slot ${slot.slot} was changed meanwhile. Read its models again.`)
  if (!(await wasApproved(ctx, to, slot)))
    throw conflict(`No approval of the model ${to.id} is proven. Deploy it, which asks people.`)
  const at = iso(ctx.now())
  const request = { execution_id: execution.id, approval_id: execution.held?.id }
  const leaving = moveModel(ctx, from, left, { ...request, retired_at: at })
  const coming = moveModel(ctx, to, 'deployed', { ...request, deployed_at: at, retired_at: undefined })
  const by = execution.requested_by.id
  const pointer = await placed(ctx, slot, coming.item, {
    ...request,
    model_id: to.id,
    from: to.status,
    to: 'deployed',
    by,
    reason: turn.reason,
  })
  const evidence = commitWith(ctx, [leaving.transition, coming.transition])
  return { writes: [leaving.write, coming.write, ...pointer, ...evidence], measures: [] }
}

/** A text of a payload that the service itself made. Throws for anything else. */
function textOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw new TypeError('the payload lacks a text')
  return value
}
