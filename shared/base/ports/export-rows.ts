// Rows of exports that the areas which have them give. The functions that export put them together.
import type { Context, Mode } from '../context.ts'

/** From an instant up to and without another, ISO 8601. */
type Window = { start_at: string; end_at: string }

/** A figure that nothing counts is null, never 0. */
type Figure = number | null

/** What a space used on one UTC day. */
export type UsageRow = {
  /** `yyyy-mm-dd` */
  date: string
  environment: Mode
  api_calls: Figure
  executions: Figure
  tokens_input: Figure
  tokens_output: Figure
  tokens_estimated: Figure
  /** At the end of the day. */
  storage_bytes: Figure
  webhook_deliveries: Figure
}

/** The whole days that the window touches, oldest first. */
export type UsageRows = (ctx: Context, window: Window) => Promise<UsageRow[]>

/** A training job. What is not known of it, or has not happened, is null. */
export type TrainingRow = {
  job_id: string
  name: string
  type: string
  trainer: string
  dataset_id: string | null
  dataset_sha256: string | null
  status: string
  queued_at: string
  started_at: string | null
  finished_at: string | null
  duration_s: Figure
  test_accuracy: Figure
  test_auc: Figure
  loss: Figure
  cost_usd: Figure
  model_id: string | null
  model_version: string | null
  deployed_at: string | null
}

/** Jobs that were queued in the window, oldest first. */
export type TrainingRows = (ctx: Context, window: Window) => Promise<TrainingRow[]>

/** An area that a deployment lacks has no rows. */
export type RowSources = { usage?: UsageRows; training?: TrainingRows }
