// Whether people approved a deployment of exactly this file. The chain says so: the row of the model alone proves nothing.
import type { Context } from '../../base/context.ts'
import { approvedPayload } from '../../govern/approvals/proven.ts'
import { MODELS_NODE_ID, ROUTING_NODE_ID } from '../../govern/manifests/platform-nodes.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import type { Model, Slot } from './model.ts'

export async function wasApproved(ctx: Context, model: Model, { history }: Pick<Slot, 'history'>): Promise<boolean> {
  if (await wasDeployed(ctx, model)) return true
  const turns = history.filter(({ model_id }) => model_id === model.id)
  for (const id of new Set([model.execution_id, ...turns.map(({ execution_id }) => execution_id)]))
    if (id !== undefined && (await isApprovedBy(ctx, model, id))) return true
  return false
}

/** Whether the request that the model names was approved: the one under which it is being deployed. */
export const isApproved = async (ctx: Context, model: Model): Promise<boolean> =>
  model.execution_id !== undefined && isApprovedBy(ctx, model, model.execution_id)

/** Whether its last change was to leave its slot, which it took with an approval. This outlives the payload of the approval. */
async function wasDeployed(
  ctx: Context,
  { name, model_version: version, artifact: { sha256 }, evidence_artifact_id }: Model,
): Promise<boolean> {
  const header = await readSequenced(ctx, evidence_artifact_id)
  if (header?.type !== 'training.model.changed' || header.chain !== chainName(ctx.space)) return false
  const { from, slot, model_version, sha256: file } = header.data ?? {}
  return from === 'deployed' && slot === name && model_version === version && file === sha256
}

async function isApprovedBy(ctx: Context, { id, name, artifact: { sha256 } }: Model, execution_id: string) {
  const { node_id, action_id, payload = {} } = (await approvedPayload(ctx, execution_id)) ?? {}
  if (payload.slot !== name) return false
  if (node_id === MODELS_NODE_ID && action_id === 'deploy')
    return payload.model_id === id && payload.artifact_sha256 === sha256
  return node_id === ROUTING_NODE_ID && payload.to === id && payload.model_sha256 === sha256
}
