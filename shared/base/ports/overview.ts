// Figures that other areas give the pages of metrics. The functions that show the pages put them together.
import type { Context } from '../context.ts'

/** A figure that nothing measured is null, never 0. */
type Figure = number | null

export type SloSummary = { healthy: number; at_risk: number; breached: number; no_data: number }

/** The sums of what is known; null when nothing is. */
type Cost = { compute_seconds: Figure; estimated_usd: Figure }

export type TrainingFigures = {
  /** Those that ended in the span; cancelled ones are in neither number. `p50_s`: of all that completed. */
  jobs: { completed: number; failed: number; p50_s: Figure }
  /** Of each slot's deployed model: on its test data, and on what people decided in the span whatever it had said. */
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
