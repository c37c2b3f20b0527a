// Asks people to deploy a model. The execution is held, and the model waits with it.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { optional } from '../../base/wire/fields.ts'
import type { Submitted } from '../../govern/executions/submission.ts'
import { MODELS_NODE_ID } from '../../govern/manifests/platform-nodes.ts'
import { requestOwn } from '../../govern/protocol/request-platform-action.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { findModel, type Model, MODEL_STATUSES, moveModel, type Slot } from './model.ts'
import { changeSlot, freeSlotFor } from './move-model.ts'
import { type HttpResponse, httpResponse } from '../../base/wire/call.ts'

export const DeployBody = z.strictObject({
  override_reason: optional(z.string().min(1).max(2_000)).describe(
    'Why it is deployed although it has not passed its quality gate.',
  ),
})

/**
 * Stores the execution that people approve and, with it, the model as waiting and its slot as taken. The model is not deployed
 * before the approval. Throws 404, and 409 for a model that cannot be deployed now: it waits already, its slot is taken, or its
 * quality gate is not passed and no reason is given. Hash, version and gate in the payload come from the stored model. Of two
 * callers at once, one finds the slot taken.
 */
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
  return [write, taken, ...commitWith(ctx, [transition])]
}

/** The answer to a request that changes which model is in a slot. */
export const DeploymentView = z.object({
  model_id: z.string().describe('Id of the model.'),
  status: z.enum([...MODEL_STATUSES, 'rejected']).describe('The current state.'),
  execution_id: z.string().describe('Id of the execution.'),
  approval_id: z.string().optional().describe('Id of the approval.'),
  undo_until: z.string().optional().describe('When the action can no longer be undone.'),
  detail: z.string().optional().describe('More details.'),
  code: z.string().optional().describe('The cause of the error, for programs.'),
})

/** `done`: what the model is once the action has run. */
export function deploymentResponse(
  model_id: string,
  { execution }: Submitted,
  done: 'rolled_back' | 'deploying',
): HttpResponse {
  const { id: execution_id, status, held, rejection, undo_until } = execution
  const of = { model_id, execution_id }
  if (rejection)
    return httpResponse(403, { ...of, status: 'rejected', detail: rejection.detail, code: 'policy_rejected' })
  if (status !== 'pending_approval') return httpResponse(200, { ...of, status: done, undo_until })
  const headers = { Location: `/api/v1/work/approvals/${held?.id}` }
  return httpResponse(202, { ...of, status: 'pending_approval', approval_id: held?.id }, headers)
}
