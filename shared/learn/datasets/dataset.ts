// A dataset: rows to train from, made of the tenant's own executions and feedback, or uploaded. Its content never changes;
// generating again under its name makes the next version.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { DatasetCounts } from './dataset-counts.ts'

/** States of a generated dataset. `stale`: the payload of an execution in it was erased, and its files with it. */
export const GENERATED_STATES: States<'queued' | 'generating' | 'ready' | 'failed' | 'stale'> = {
  queued: ['generating', 'failed'],
  generating: ['ready', 'failed'],
  ready: ['stale'],
  failed: [],
  stale: [],
}

/** States of a posted dataset; rows in the body of the request begin as `validating`. */
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

/** The origin of a label. `human`, `key`, `undo` and `feedback` are judgements; the others are not. */
export const LABEL_SOURCES = ['human', 'key', 'policy', 'presumed', 'undo', 'feedback'] as const
export type LabelSource = (typeof LABEL_SOURCES)[number]

/** What a generation takes, and how it makes rows of it. Times are ISO 8601; the end is exclusive. */
export const DatasetFilters = z.object({
  start_date: z.string().describe('Executions requested from this time on, ISO 8601.'),
  end_date: z.string().describe('Executions requested before this time, ISO 8601.'),
  min_confidence: z.number().describe('Samples with less confidence were left out; 0 to 1.'),
  include_tiers: z.array(z.enum(TIERS)).describe('Executions of these tiers.'),
  include_sources: z.array(z.enum(LABEL_SOURCES)).describe('Samples whose label came from one of these.'),
  group_by: z
    .enum(['task', 'action'])
    .describe('Whether rows of one task, or of one action, are kept in the same file.'),
  split: z
    .enum(['group', 'time'])
    .describe('Asked for: by `group`, or by `time`, where the newest part is the test set.'),
  test_fraction: z.number().describe('The share of groups for the test set; 0 to 0.5.'),
  max_pairs_per_sample: z.int().describe('With how many rejected samples a chosen one is paired, at most.'),
  pii: z
    .enum(['redact', 'drop', 'keep'])
    .describe('What is done about personal data: redacted, samples with any left out, or kept.'),
  seed: z.int().describe('Decides among equals. The same input and seed give the same bytes.'),
})
export type DatasetFilters = z.output<typeof DatasetFilters>

/** `path` is relative to the dataset; `rows` is absent for files that hold none. */
export const DatasetFile = z.object({
  path: z.string().describe('The path within the dataset.'),
  sha256: z.string().describe('SHA-256 of the file, hex.'),
  size_bytes: z.int().describe('Size in bytes.'),
  rows: z.int().optional().describe('How many rows it has; absent for files without rows.'),
})
export type DatasetFile = z.output<typeof DatasetFile>

/** The executions that a dataset was made of, and the chain that it was compared with. */
const Lineage = z.object({
  first_execution_at: z.string().nullable().describe('When the first of them was requested; null: none.'),
  last_execution_at: z.string().nullable().describe('When the last of them was requested; null: none.'),
  execution_count: z.int().describe('How many executions are in it.'),
  chain_head: z
    .object({
      sequence: z.int().describe('Position in the chain, from 0.'),
      hash: z.string().describe('Hash of the artifact, hex.'),
    })
    .nullable()
    .describe('The end of the evidence chain that the executions were compared with; null: none.'),
})

export const Dataset = z.object({
  ...resourceMembers,
  name: z.string().describe('A name for people.'),
  source: z.enum(DATASET_SOURCES).describe('What its rows were made from.'),
  format: z.enum(DATASET_FORMATS).describe('The form of its rows, by the name of the method that trains on them.'),
  style: z
    .enum(DATASET_STYLES)
    .describe('How an action stands in a row: `json`, its payload as text, or `tool_calls`, a call of a tool.'),
  status: z.enum(DATASET_STATUSES).describe('The current state.'),
  filters: DatasetFilters.optional().describe(
    'What a generation took, and how it made rows of it. Absent for uploads.',
  ),
  counts: DatasetCounts.optional().describe('What became of the samples.'),
  /** How the rows were in fact split; `sample` where there are too few groups. */
  split: z
    .enum(['group', 'time', 'sample'])
    .optional()
    .describe('How the rows are split: by `group`, by `time`, or by `sample` where there are fewer than ten groups.'),
  files: z.array(DatasetFile).describe('Its files; `manifest.json` has the hash of each.'),
  /** SHA-256 (hex) of `manifest.json`, which has the hash of each file. */
  content_sha256: z
    .string()
    .optional()
    .describe('SHA-256 of `manifest.json`, hex; the artifact of the dataset names it, too.'),
  /** `residual`: what the detector still found afterwards. */
  pii: z
    .object({
      mode: z
        .enum(['redact', 'drop', 'keep'])
        .describe('What was done about personal data: redacted, samples with any left out, or kept.'),
      redactions: z.int().describe('How many findings were redacted.'),
      residual: z.int().describe('How many findings were left afterwards.'),
    })
    .optional()
    .describe('What is done about personal data: redacted, samples with any left out, or kept.'),
  lineage: Lineage.optional().describe('The executions that it was made of.'),
  dataset_version: z.int().describe('Number of the version among those of its name.'),
  progress: z.number().describe('How far the work is, from 0 to 1.'),
  /** Size and hash of an uploaded file, as they were announced. */
  upload: z.object({ size: z.int(), sha256: z.string() }).optional(),
  /** Of an uploaded one: each row names its action and payload, as generated rows do. The embedded trainer needs that. */
  names_actions: z
    .boolean()
    .optional()
    .describe('Of an uploaded one: whether each row has the form of generated rows, which the embedded trainer needs.'),
  error: z
    .object({
      code: z.string().describe('The cause of the error, for programs.'),
      message: z.string().describe('A message for people.'),
      lines: z
        .array(
          z.object({
            line: z.int().describe('Number of the line, from 1.'),
            reason: z.string().describe('Why it is not valid.'),
          }),
        )
        .optional()
        .describe('The first lines that are not valid.'),
    })
    .optional()
    .describe('The cause of the error.'),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  created_by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller that created it.'),
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
  unbound: 'bounded',
  schema: Dataset,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'DATASET', of.id), sk: 'DATASET' }),
  index: (item) => ({ gsi1pk: datasetsPartition(item), gsi1sk: item.id, ...dueAt(item.due_at, item.id) }),
})

type DatasetStates = Partial<States<DatasetStatus>>
const statesOf = ({ source }: Dataset): DatasetStates => (source === 'upload' ? UPLOADED_STATES : GENERATED_STATES)

export const { begin: beginDataset, move: movedDataset } = lifecycle(datasets, statesOf, {
  named: ({ artifact_id: id, hash }) => ({ artifact: { id, hash } }),
  facts: ({ id, status, source, format, dataset_version, content_sha256, error, lineage, updated_at }, was) => ({
    type: 'training.dataset.changed',
    subject: { type: 'dataset', id },
    data: {
      ...(was && { from: was.status }),
      to: status,
      source,
      format,
      dataset_version,
      ...(content_sha256 !== undefined && { content_sha256 }),
      ...(lineage?.chain_head && { chain_head: lineage.chain_head.hash }),
      ...(error && { code: error.code }),
    },
    at: Date.parse(updated_at),
  }),
  events: (dataset) => (dataset.status === 'ready' ? [created(dataset)] : []),
  lost: () => undefined, // `moveDataset` answers undefined then
})

const created = ({ id, name, content_sha256, files }: Dataset): EventDraft => ({
  type: 'artifact.created',
  subject: { id, version: 1 },
  data: {
    artifact_type: 'dataset',
    resource_id: id,
    name,
    sha256: content_sha256 ?? null,
    size_bytes: files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
  },
})

/** The newest version of a name. */
export const datasetNames = entity({
  name: 'DATASETNAME',
  unbound: 'bounded',
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

/** The key of a file of the dataset in the bucket. No rule of the bucket expires this prefix. */
export const datasetKey = (
  { tenant_id, mode, id, dataset_version }: Pick<Dataset, 'tenant_id' | 'mode' | 'id' | 'dataset_version'>,
  path: string,
): string => `datasets/${tenant_id}/${mode}/${id}/${dataset_version}/${path}`
