// Puts a former model back into its slot. A person does so at once and may undo it for 30 seconds; for anything else it waits for
// one, because an agent could otherwise bring back the model that raises it least.
import * as z from 'zod'
import { actsDirectly, type Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { optional } from '../../base/wire/fields.ts'
import type { Submitted } from '../../govern/executions/submission.ts'
import { MODELS_NODE_ID } from '../../govern/manifests/platform-nodes.ts'
import { requestOwn } from '../../govern/protocol/request-platform-action.ts'
import { findModel, type Model, type Slot } from './model.ts'
import { findSlot } from './move-model.ts'
import { wasApproved } from './was-approved.ts'

export const RollbackBody = z.strictObject({
  reason: z.string().min(1).max(2_000).describe('The reason, for people.'),
  to_model_id: optional(z.string().min(1).max(64)).describe(
    'The model to return to; otherwise the one that was replaced.',
  ),
})

/**
 * Requests the execution that puts the former model back. Throws 404; 409 where there is nothing to roll back to, where the slot
 * has an open deployment, and for a model whose approval the evidence does not show. Whether a person must approve it follows from
 * the credential of the caller, not from the request.
 */
export async function requestRollback(
  ctx: Context,
  id: string,
  { reason, to_model_id }: z.output<typeof RollbackBody>,
): Promise<Submitted> {
  const model = await findModel(ctx, id)
  if (model.status !== 'deployed')
    throw conflict(`The model is ${model.status}. You can roll back only a deployed one.`)
  const current = await findSlot(ctx, model.name)
  const { slot, open } = current
  if (open) throw conflict(`The slot ${slot} has an open deployment, of ${open.model_id}.`)
  const to = await formerOf(ctx, model, current, to_model_id)
  const payload = { slot, model_id: id, to_model_id: to.id, reason }
  const { kind: type, client_id } = ctx.principal
  const asked = actsDirectly({ type, client_id }) ? {} : { require_approval: true }
  const action = { node_id: MODELS_NODE_ID, action_id: 'restore_previous', payload, asked }
  return requestOwn(ctx, action, () => [])
}

/** The model that it replaced, or one that was approved before. */
async function formerOf(
  ctx: Context,
  { id, name, previous_model_id }: Model,
  slot: Slot,
  named: string | undefined,
): Promise<Model> {
  const to = named ?? previous_model_id
  if (to === undefined) throw conflict('This model replaced none. Name an approved one in to_model_id.')
  const former = await findModel(ctx, to)
  const fits = former.id !== id && former.name === name
  const restorable = former.status === 'retired' || former.status === 'rolled_back'
  if (!fits || !restorable || !(await wasApproved(ctx, former, slot)))
    throw conflict('You can return only to a model of the same slot that was approved and deployed before.')
  return former
}
