// One change of a model as part of a commit: the item and its artifact.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import { type Model, MODEL_STATES, models, type ModelStatus } from './model.ts'

export type ModelParts = { model: Model; write: Write; transition: Transition }

/** Throws 409 for a move that the table of states does not have. */
export function moveModel(ctx: Context, was: Stored<Model>, to: ModelStatus, change: Partial<Model> = {}): ModelParts {
  mustAllowMove(MODEL_STATES, was.status, to)
  return modelParts(ctx, { ...was, ...change, status: to }, was)
}

/** `was` is undefined for a new model. */
export function modelParts(
  ctx: Context,
  next: Omit<Model, 'evidence_artifact_id' | 'updated_at'>,
  was?: Stored<Model>,
): ModelParts {
  const artifact = newArtifact(ctx, {
    type: 'training.model.changed',
    subject: { type: 'model', id: next.id },
    ...(next.execution_id !== undefined && { request_id: next.execution_id }),
    data: factsOf(next, was),
  })
  const model = { ...next, updated_at: iso(ctx.now()), evidence_artifact_id: artifact.artifact_id }
  const write = was ? models.replace(model, was, new Overtaken()) : models.insert(model)
  return { model, write, transition: { artifact, events: was ? [] : [made(next)] } }
}

/** Ids, states and hashes: what people wrote stands in the model alone. */
const factsOf = (
  next: Pick<Model, 'name' | 'model_version' | 'status' | 'quality_gate' | 'artifact' | 'approval_id'>,
  was?: Model,
) => ({
  from: was?.status ?? null,
  to: next.status,
  slot: next.name,
  model_version: next.model_version,
  sha256: next.artifact.sha256,
  quality_gate: next.quality_gate,
  ...(next.approval_id !== undefined && { approval_id: next.approval_id }),
})

const made = ({ id, name, model_version, artifact }: Pick<Model, 'id' | 'name' | 'model_version' | 'artifact'>) => ({
  type: 'artifact.created' as const,
  subject: { id, version: 1 },
  data: {
    artifact_type: 'model' as const,
    resource_id: id,
    name: `${name}@${model_version}`,
    sha256: artifact.sha256,
    size_bytes: artifact.bytes,
  },
})
