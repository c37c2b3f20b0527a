// Rows of exports, and figures of the pages of metrics, that other areas supply. The functions that export or show them put them together.
import type { Context, Mode } from '../context.ts'

/** From an instant up to and without another, ISO 8601. */
type Window = { start_at: string; end_at: string }

/** A figure that nothing counts is null, never 0. */
type Figure = number | null

/** The usage of a space on one UTC day. */
export type UsageRow = {
  /** `yyyy-mm-dd` */
  date: string
  environment: Mode
  api_calls: Figure
  executions: Figure
  tokens_input: Figure
  tokens_output: Figure
  tokens_estimated: Figure
  /** What payloads, answers and copied records held at the end of the day. Files are listed without a history and are no part of it. */
  storage_bytes: Figure
  webhook_deliveries: Figure
}

/** The whole days that the window touches, oldest first. */
export type UsageRows = (ctx: Context, window: Window) => Promise<UsageRow[]>

/** A training job. A member that is not known, or has not happened, is null. */
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

export type SloSummary = { healthy: number; at_risk: number; breached: number; no_data: number }

/** The sums of the known figures; null when none is known. */
type Cost = { compute_seconds: Figure; estimated_usd: Figure }

export type TrainingFigures = {
  /** Those that ended in the span; cancelled ones are in neither number. `p50_s`: of all that completed. */
  jobs: { completed: number; failed: number; p50_s: Figure }
  /** Of each slot's deployed model: on its test data, and on decisions in the span that people were asked for in any case. */
  quality: {
    slot: string
    version: number
    accuracy: Figure
    auc: Figure
    ece: Figure
    live_agreement: Figure
    n: number
    ci95: { lower: number; upper: number } | null
  }[]
  /** Of the jobs that ended in the span. */
  cost: Cost & { by_trainer: (Cost & { trainer: string })[] }
  /** Those that are ready now; `stale`: how many are no longer. */
  datasets: { total: number; rows: number; pairs: number; stale: number }
}

/** `from` and `until` in ms; the end is exclusive. */
export type TrainingSource = (ctx: Context, span: { from: number; until: number }) => Promise<TrainingFigures>

export type OverviewSources = {
  /** From 0 to 100; null without an enabled framework. */
  posture: (ctx: Context) => Promise<Figure>
  slos: (ctx: Context) => Promise<SloSummary>
  openIncidents: (ctx: Context) => Promise<number>
  training: TrainingSource
}
