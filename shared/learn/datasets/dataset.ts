// A dataset: rows to train from, made of the tenant's own executions and feedback, or uploaded. Its content never changes;
// generating again under its name makes the next version.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { DatasetCounts } from './dataset-counts.ts'

/** Of one made by a generation. `stale`: the payload of an execution in it was erased, and its files with it. */
export const GENERATED_STATES: States<'queued' | 'generating' | 'ready' | 'failed' | 'stale'> = {
  queued: ['generating', 'failed'],
  generating: ['ready', 'failed'],
  ready: ['stale'],
  failed: [],
  stale: [],
}

/** Of one that was posted; rows in the body of the request begin as `validating`. */
export const UPLOADED_STATES: States<'awaiting_upload' | 'validating' | 'ready' | 'invalid'> = {
  awaiting_upload: ['validating', 'invalid'],
  validating: ['ready', 'invalid'],
  ready: [],
  invalid: [],
}

export const DATASET_STATUSES = [
  'queued',
  'generating',
  'awaiting_upload',
  'validating',
  'ready',
  'invalid',
  'failed',
  'stale',
] as const
export type DatasetStatus = (typeof DATASET_STATUSES)[number]

export const DATASET_SOURCES = ['protocol_executions', 'upload', 'feedback'] as const
export const DATASET_FORMATS = ['dpo', 'sft', 'kto'] as const
export type DatasetFormat = (typeof DATASET_FORMATS)[number]
export const DATASET_STYLES = ['json', 'tool_calls'] as const
export type DatasetStyle = (typeof DATASET_STYLES)[number]
export const TIERS = ['AUTO', 'SOFT', 'HARD'] as const

/** Where the label of a sample came from. `human`, `key`, `undo` and `feedback` are judgements; the others are not. */
export const LABEL_SOURCES = ['human', 'key', 'policy', 'presumed', 'undo', 'feedback'] as const
export type LabelSource = (typeof LABEL_SOURCES)[number]

/** What a generation takes, and how it makes rows of it. Times are ISO 8601; the end is exclusive. */
export const DatasetFilters = z.object({
  start_date: z.string(),
  end_date: z.string(),
  min_confidence: z.number(),
  include_tiers: z.array(z.enum(TIERS)),
  include_sources: z.array(z.enum(LABEL_SOURCES)),
  group_by: z.enum(['task', 'action']),
  split: z.enum(['group', 'time']),
  test_fraction: z.number(),
  max_pairs_per_sample: z.int(),
  pii: z.enum(['redact', 'drop', 'keep']),
  seed: z.int(),
})
export type DatasetFilters = z.output<typeof DatasetFilters>

/** `path` is relative to the dataset; `rows` is absent for files that hold none. */
export const DatasetFile = z.object({
  path: z.string(),
  sha256: z.string(),
  size_bytes: z.int(),
  rows: z.int().optional(),
})
export type DatasetFile = z.output<typeof DatasetFile>

/** The executions that a dataset was made of, and the chain that it was compared with. */
const Lineage = z.object({
  first_execution_at: z.string().nullable(),
  last_execution_at: z.string().nullable(),
  execution_count: z.int(),
  chain_head: z.object({ sequence: z.int(), hash: z.string() }).nullable(),
})

export const Dataset = z.object({
  ...resourceMembers,
  name: z.string(),
  source: z.enum(DATASET_SOURCES),
  format: z.enum(DATASET_FORMATS),
  style: z.enum(DATASET_STYLES),
  status: z.enum(DATASET_STATUSES),
  filters: DatasetFilters.optional(),
  counts: DatasetCounts.optional(),
  /** How the rows were in fact split; `sample` where there are too few groups. */
  split: z.enum(['group', 'time', 'sample']).optional(),
  files: z.array(DatasetFile),
  /** SHA-256 (hex) of `manifest.json`, which has the hash of each file. */
  content_sha256: z.string().optional(),
  /** `residual`: what the detector still found afterwards. */
  pii: z.object({ mode: z.enum(['redact', 'drop', 'keep']), redactions: z.int(), residual: z.int() }).optional(),
  lineage: Lineage.optional(),
  dataset_version: z.int(),
  /** From 0 to 1. */
  progress: z.number(),
  /** Of an uploaded file, as it was announced. */
  upload: z.object({ size: z.int(), sha256: z.string() }).optional(),
  /** Of an uploaded one: each row names its action and payload, as generated rows do. The embedded trainer needs that. */
  names_actions: z.boolean().optional(),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      lines: z.array(z.object({ line: z.int(), reason: z.string() })).optional(),
    })
    .optional(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
  /** The artifact of its last change of status. */
  artifact: z.object({ id: z.string(), hash: z.string() }),
  /** How often a run was started. */
  attempt: z.int(),
  /** When the sweeper looks at it again. */
  due_at: z.string().optional(),
})
export type Dataset = z.output<typeof Dataset>

export const datasetsPartition = (space: Space): string => spaceKey(space, 'DATASETS')

export const datasets = entity({
  name: 'DATASET',
  schema: Dataset,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'DATASET', of.id), sk: 'DATASET' }),
  index: (item) => ({ gsi1pk: datasetsPartition(item), gsi1sk: item.id, ...dueAt(item.due_at, item.id) }),
})

/** The newest version of a name. */
export const datasetNames = entity({
  name: 'DATASETNAME',
  schema: z.object({ ...spaceMembers, name: z.string(), id: z.string(), dataset_version: z.int() }),
  key: (of: Space & { name: string }) => ({ pk: spaceKey(of, 'NAMES'), sk: key('DATASET', of.name) }),
})

/** A line of `provenance.ndjson`: what a row was made of. A row of dpo has two, one for each side. Rows count from 0. */
export const Provenance = z.object({
  file: z.string(),
  row: z.int(),
  side: z.enum(['chosen', 'rejected']),
  confidence: z.number(),
  source: z.enum(LABEL_SOURCES),
  execution_ids: z.array(z.string()),
  artifact_ids: z.array(z.string()),
})
export type Provenance = z.output<typeof Provenance>

/** Where the bucket of files holds a file of it. No rule of the bucket expires this prefix. */
export const datasetKey = (
  { tenant_id, mode, id, dataset_version }: Pick<Dataset, 'tenant_id' | 'mode' | 'id' | 'dataset_version'>,
  path: string,
): string => `datasets/${tenant_id}/${mode}/${id}/${dataset_version}/${path}`
