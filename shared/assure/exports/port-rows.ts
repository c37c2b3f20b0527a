// Columns of the exports whose rows other areas give.
import type { TrainingRow, UsageRow } from '../../base/ports/export-rows.ts'

export const USAGE_COLUMNS = [
  'date',
  'environment',
  'api_calls',
  'executions',
  'tokens_input',
  'tokens_output',
  'tokens_estimated',
  'storage_bytes',
  'webhook_deliveries',
] as const satisfies (keyof UsageRow)[]

export const TRAINING_COLUMNS = [
  'job_id',
  'name',
  'type',
  'trainer',
  'dataset_id',
  'dataset_sha256',
  'status',
  'queued_at',
  'started_at',
  'finished_at',
  'duration_s',
  'test_accuracy',
  'test_auc',
  'loss',
  'cost_usd',
  'model_id',
  'model_version',
  'deployed_at',
] as const satisfies (keyof TrainingRow)[]
