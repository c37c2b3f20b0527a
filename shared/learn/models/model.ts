// A version of a model: what a training made, or what was made elsewhere and registered here. It has an effect only while it is
// deployed in its slot.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import { iso } from '../../base/lib/clock.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'

export const MODEL_STATUSES = [
  'registered',
  'pending_approval',
  'deploying',
  'deployed',
  'rolled_back',
  'retired',
  'failed',
] as const
export type ModelStatus = (typeof MODEL_STATUSES)[number]

/** A request that nobody allows leads back to where it came from. A routing update was allowed before it is applied. */
export const MODEL_STATES: States<ModelStatus> = {
  registered: ['pending_approval', 'deploying'],
  pending_approval: ['deploying', 'registered', 'rolled_back', 'retired', 'failed'],
  deploying: ['deployed', 'failed'],
  deployed: ['rolled_back', 'retired'],
  rolled_back: ['pending_approval', 'deploying', 'deployed'],
  retired: ['pending_approval', 'deploying', 'deployed'],
  failed: ['pending_approval', 'deploying'],
}

export const MODEL_TYPES = ['approval', 'preference', 'dpo', 'sft', 'kto'] as const
export const QUALITY_GATES = ['passed', 'failed', 'none'] as const

/** A slot, which names the models that may take it. */
export const SLOT = /^[a-z0-9][a-z0-9-]{0,62}$/

export const ModelFile = z.object({
  uri: z.string().describe('Where the file is.'),
  sha256: z.string().describe('SHA-256 of the file, hex.'),
  bytes: z.int().describe('Size of the file.'),
  format: z.string().describe('Format of the rows.'),
})

export const Model = z.object({
  ...resourceMembers,
  /** The slot. */
  name: z.string().describe('A name for people.'),
  model_version: z.int().describe('Number of the version among the models of its name.'),
  type: z.enum(MODEL_TYPES).describe('What it predicts or how it was tuned.'),
  status: z.enum(MODEL_STATUSES).describe('The current state.'),
  job_id: z.string().optional().describe('Id of the job that does the work.'),
  dataset_id: z.string().optional().describe('The dataset that it was trained on.'),
  dataset_sha256: z.string().optional().describe('The `content_sha256` of the dataset that was trained on.'),
  artifact: ModelFile.describe('The file of its weights.'),
  /** JSON. */
  metrics: z.string(),
  quality_gate: z
    .enum(QUALITY_GATES)
    .describe('`passed`: better than a guess on rows that people judged; `none`: not measured.'),
  /** Predictions of the test rows, where the model was trained here. A deployment tests that it still makes the same. */
  predictions: z.object({ uri: z.string(), sha256: z.string() }).optional(),
  /** Of the latest request to deploy it, and the state before. */
  execution_id: z.string().optional().describe('Id of the execution.'),
  approval_id: z.string().optional().describe('Id of the approval.'),
  status_before: z.enum(MODEL_STATUSES).optional(),
  override_reason: z.string().optional().describe('Why it is deployed although it has not passed its quality gate.'),
  /** A deployment of it was approved at some time. */
  approved: z.literal(true).optional(),
  previous_model_id: z.string().optional().describe('The model that it replaced.'),
  deployed_at: z.string().optional().describe('When it was put into its slot.'),
  retired_at: z.string().optional().describe('When another took its place.'),
  error: z
    .object({
      code: z.string().describe('The cause of the error, for programs.'),
      message: z.string().describe('A message for people.'),
    })
    .optional()
    .describe('The cause of the error.'),
  /** While it is deploying: when the next attempt may start, and the number of attempts. */
  due_at: z.string().optional(),
  attempts: z.int().optional(),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  created_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .describe('The caller that created it.'),
  /** The artifact of its last change of status. */
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
})
export type Model = z.output<typeof Model>

export const models = entity({
  name: 'MODEL',
  unbound: 'proven by artifacts',
  schema: Model,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'MODEL', of.id), sk: 'MODEL' }),
  index: (item) => ({
    gsi1pk: modelsPartition(item, item.status === 'deployed'),
    gsi1sk: item.id,
    ...dueAt(item.status === 'deploying' ? item.due_at : undefined, item.id),
  }),
})

/** Lists begin with those that are deployed. */
export const modelsPartition = (space: Space, isDeployed: boolean): string =>
  spaceKey(space, 'MODELS', isDeployed ? 'deployed' : 'others')

/** Ids, states and hashes: texts of people are in the model alone. */
const factsOf = (next: Omit<Model, 'evidence_artifact_id' | 'updated_at'>, was?: Model) => ({
  from: was?.status ?? null,
  to: next.status,
  slot: next.name,
  model_version: next.model_version,
  sha256: next.artifact.sha256,
  quality_gate: next.quality_gate,
  ...(next.approval_id !== undefined && { approval_id: next.approval_id }),
})

const made = ({ id, name, model_version, artifact }: Model) => ({
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

export const { begin: beginModel, move: moveModel } = lifecycle(models, MODEL_STATES, {
  named: ({ artifact_id, at }) => ({ updated_at: iso(at), evidence_artifact_id: artifact_id }),
  facts: (next, was) => ({
    type: 'training.model.changed',
    subject: { type: 'model', id: next.id },
    ...(next.execution_id !== undefined && { request_id: next.execution_id }),
    data: factsOf(next, was),
  }),
  events: (model, was) => (was ? [] : [made(model)]),
})

// A slot: the place that models of one name take in turn, with its history. Decisions read the item `LEARNED` instead, which the
// same transactions change.

export const HISTORY_MAX = 50
export const SLOTS_MAX = 20

/** One change of the slot. `from` and `to`: what happened to `model_id`. */
const Turn = z.object({
  model_id: z.string().describe('Id of the model.'),
  from: z.string().describe('What the model was before.'),
  to: z.string().describe('What it became.'),
  by: z.string().describe('Who asked for it.'),
  at: z.string().describe('When it happened.'),
  approval_id: z.string().optional().describe('Id of the approval.'),
  execution_id: z.string().optional().describe('Id of the execution.'),
  reason: z.string().optional().describe('The reason, for people.'),
})
export type Turn = z.output<typeof Turn>

export const Slot = z.object({
  ...spaceMembers,
  slot: z.string(),
  latest_version: z.int(),
  /** The model in it; none where no deployment has succeeded yet. */
  deployed: z.string().optional(),
  /** A model that waits for approval or is being deployed: one at a time. */
  open: z.object({ model_id: z.string(), execution_id: z.string() }).optional(),
  /** Newest last. */
  history: z.array(Turn),
})
export type Slot = z.output<typeof Slot>

export const slots = entity({
  name: 'SLOT',
  unbound: 'bounded',
  schema: Slot,
  key: (of: Space & { slot: string }) => ({ pk: namesPartition(of), sk: key('SLOT', of.slot) }),
})

/** All of them: there are few. */
export const allSlots = (table: Table, space: Space): Promise<Stored<Slot>[]> =>
  table.query(slots, { pk: namesPartition(space), prefix: 'SLOT#' })

export const namesPartition = (space: Space): string => spaceKey(space, 'NAMES')

export const withTurn = (history: readonly Turn[], turn: Turn): Turn[] => [...history, turn].slice(-HISTORY_MAX)

const MODEL_ID = idPattern('mdl')

/** Throws 404. */
export async function findModel(ctx: Context, id: string): Promise<Stored<Model>> {
  const found = MODEL_ID.test(id) ? await ctx.table.get(models, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('model')
  return found
}
