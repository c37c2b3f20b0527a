// The metrics of predictions on test rows, and the quality gate that they pass or not.
import { calibrationOf } from '../../statistics/drift.ts'

/** A test row: what the model says and what people said. `judged`: by people, not by how it happened to end. */
export type Prediction = { p: number; y: 0 | 1; judged: boolean }

/** `baseline`: of always stating the rate of the training rows. All of it is null without rows. */
export type TestMetrics = ReturnType<typeof measure>

export function measure(predictions: readonly Prediction[], rate: number) {
  const mean = (value: (one: Prediction) => number) =>
    predictions.length === 0 ? null : predictions.reduce((sum, one) => sum + value(one), 0) / predictions.length
  const right = (p: number, y: number) => Number((p >= 0.5 ? 1 : 0) === y)
  const { brier, ece, bins } = calibrationOf(predictions.map(({ p, y }) => ({ probability: p, happened: y === 1 })))
  return {
    rows: predictions.length,
    accuracy: mean(({ p, y }) => right(p, y)),
    baseline_accuracy: mean(({ y }) => right(rate, y)),
    auc: auc(predictions),
    log_loss: mean(({ p, y }) => logLoss(p, y)),
    baseline_log_loss: mean(({ y }) => logLoss(rate, y)),
    brier,
    ece,
    reliability: bins,
  }
}

const ROWS_MIN = 50
const AUC_MIN = 0.6

/** Not accuracy: where most actions are approved, nothing beats saying yes to all. */
export function gateOf({ rows, log_loss, baseline_log_loss, auc: area }: TestMetrics): 'passed' | 'failed' | 'none' {
  if (rows < ROWS_MIN || log_loss === null || baseline_log_loss === null) return 'none'
  return log_loss < baseline_log_loss && (area ?? 0) >= AUC_MIN ? 'passed' : 'failed'
}

type Scored = { p: number; y: 0 | 1 }

/** How often a chosen row scores higher than a rejected one; equal scores count half. Null without both. */
export function auc(rows: readonly Scored[]): number | null {
  const chosen = rows.filter(({ y }) => y === 1).length
  const rejected = rows.length - chosen
  if (chosen === 0 || rejected === 0) return null
  return (rankSum(rows) - (chosen * (chosen + 1)) / 2) / (chosen * rejected)
}

/** The sum of the ranks of the chosen rows. Equal scores share the mean of their ranks. */
function rankSum(rows: readonly Scored[]): number {
  const sorted = rows.toSorted((a, b) => a.p - b.p)
  let sum = 0
  for (let from = 0; from < sorted.length;) {
    let to = from
    let chosen = 0
    for (; to < sorted.length && sorted[to]?.p === sorted[from]?.p; to += 1) chosen += sorted[to]?.y ?? 0
    sum += chosen * ((from + 1 + to) / 2)
    from = to
  }
  return sum
}

/** A certain prediction that is wrong would cost infinitely much. */
const CERTAIN = 1e-12

export const logLoss = (p: number, y: number): number => -Math.log(Math.min(1, Math.max(CERTAIN, y === 1 ? p : 1 - p)))
