// Asks people to deploy a model. The execution is held, and the model waits with it.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { optional } from '../../base/wire/fields.ts'
import type { Submitted } from '../../govern/executions/submission.ts'
import { MODELS_NODE_ID } from '../../govern/manifests/platform-nodes.ts'
import { requestOwn } from '../../govern/protocol/request-own.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { findModel } from './find-model.ts'
import { freeSlotFor } from './free-slot.ts'
import { type Model, moveModel } from './model.ts'
import { changeSlot } from './move-slot.ts'
import type { Slot } from './slot.ts'

export const DeployBody = z.strictObject({
  override_reason: optional(z.string().min(1).max(2_000)).describe(
    'Why it is deployed although it has not passed its quality gate.',
  ),
})

/** Throws 404, and 409 for a model that cannot be deployed now. */
export async function requestDeployment(
  ctx: Context,
  id: string,
  { override_reason }: z.output<typeof DeployBody>,
): Promise<Submitted> {
  const was = await findModel(ctx, id)
  const slot = await freeSlotFor(ctx, was)
  if (was.quality_gate !== 'passed' && override_reason === undefined) {
    throw conflict(`The quality gate of this model is ${was.quality_gate}. Say in override_reason why you deploy it.`)
  }
  const payload = {
    model_id: id,
    slot: was.name,
    model_version: was.model_version,
    artifact_sha256: was.artifact.sha256,
    quality_gate: was.quality_gate,
    ...(override_reason !== undefined && { override_reason }),
    ...(slot.deployed !== undefined && { replaces: slot.deployed }),
  }
  const action = { node_id: MODELS_NODE_ID, action_id: 'deploy', payload, asked: {} }
  return requestOwn(ctx, action, (execution_id, decision) =>
    decision.outcome === 'hold' ? waiting(ctx, { was, slot, execution_id, override_reason }) : [],
  )
}

type Waiting = { was: Stored<Model>; slot: Stored<Slot>; execution_id: string; override_reason: string | undefined }

function waiting(ctx: Context, { was, slot, execution_id, override_reason }: Waiting) {
  const change = { execution_id, override_reason, status_before: was.status, approval_id: undefined, error: undefined }
  const { write, transition } = moveModel(ctx, was, 'pending_approval', change)
  const taken = changeSlot(slot, { open: { model_id: was.id, execution_id } })
  return [write, taken, ...recorded(ctx, [transition])]
}
