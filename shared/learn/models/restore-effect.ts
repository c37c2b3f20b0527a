// Rolling a slot back, and undoing that: both happen in the transaction of their execution.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import type { BuiltInEffect, Effect } from '../../govern/executions/built-in-effects.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { textOf } from './action-payload.ts'
import { findModel } from './find-model.ts'
import { type ModelStatus, moveModel } from './model.ts'
import { findSlot, placed } from './move-slot.ts'
import { wasApproved } from './was-approved.ts'

/** The payload names the model in the slot and the one that takes its place. */
export const restorePreviousEffect: BuiltInEffect = {
  run: (ctx, { execution, payload }) => exchange(ctx, execution, turnOf(payload), 'rolled_back'),
}

/** The payload holds that of the rollback, which it turns around. */
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
  const evidence = recorded(ctx, [leaving.transition, coming.transition])
  return { writes: [leaving.write, coming.write, ...pointer, ...evidence], measures: [] }
}
