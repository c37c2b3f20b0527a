// What training came to in a span: its jobs, their cost, the datasets there are and the quality of the models in use.
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import type { TrainingFigures, TrainingSource } from '../../base/ports/rows.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { agreementIn } from '../experiments/agreement.ts'
import { type Dataset, datasets, datasetsPartition } from '../datasets/dataset.ts'
import { type Job, jobs, jobsPartition } from '../jobs/job.ts'
import { measuredBy } from '../jobs/training-rows.ts'
import { type Model, models, modelsPartition } from '../models/model.ts'

/** No job goes on for so long. */
const LONGEST_MS = 2 * 86_400_000
const MOST = 20_000

export const trainingFigures: TrainingSource = async (ctx, { from, until }) => {
  const [ended, made, deployed, agreed] = await Promise.all([
    endedIn(ctx, from, until),
    allDatasets(ctx),
    inUse(ctx),
    agreementIn(ctx, from, until),
  ])
  const quality = deployed.map((model) => ({
    ...qualityOf(model),
    ...(agreed.get(`${model.name}@${model.model_version}`) ?? { n: 0, live_agreement: null, ci95: null }),
  }))
  return { jobs: outcomes(ended), quality, cost: costs(ended), datasets: sizes(made) }
}

async function endedIn({ table, space }: Context, from: number, until: number): Promise<Job[]> {
  const range = {
    pk: jobsPartition(space),
    index: 'gsi1',
    from: firstId('job', Math.max(0, from - LONGEST_MS)),
  } as const
  const found = await wholeRange(table, jobs, { ...range, to: firstId('job', until) }, MOST)
  return found.filter(({ finished_at }) => {
    const at = Date.parse(finished_at ?? '')
    return at >= from && at < until
  })
}

const allDatasets = ({ table, space }: Context): Promise<Dataset[]> =>
  wholeRange(table, datasets, { pk: datasetsPartition(space), index: 'gsi1' }, MOST)

const inUse = ({ table, space }: Context): Promise<Model[]> =>
  wholeRange(table, models, { pk: modelsPartition(space, true), index: 'gsi1' }, MOST)

function outcomes(ended: readonly Job[]): TrainingFigures['jobs'] {
  const completed = ended.filter(({ status }) => status === 'completed')
  const failed = ended.filter(({ status }) => status === 'failed').length
  return { completed: completed.length, failed, p50_s: medianOf(completed.flatMap(secondsOf)) }
}

const secondsOf = ({ started_at, finished_at }: Job): number[] =>
  started_at && finished_at ? [(Date.parse(finished_at) - Date.parse(started_at)) / 1_000] : []

/** The lower one of two in the middle. */
const medianOf = (values: number[]): number | null =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? null

function qualityOf({ name, model_version, metrics }: Model) {
  const test = measuredBy(JSON.parse(metrics), 'test')
  return { slot: name, version: model_version, accuracy: test('accuracy'), auc: test('auc'), ece: test('ece') }
}

function costs(ended: readonly Job[]): TrainingFigures['cost'] {
  const byTrainer = Map.groupBy(ended, ({ trainer }) => trainer)
  return { ...costOf(ended), by_trainer: [...byTrainer].map(([trainer, of]) => ({ trainer, ...costOf(of) })) }
}

const costOf = (of: readonly Job[]) => ({
  compute_seconds: sumOf(of.map(({ cost }) => cost.compute_seconds)),
  estimated_usd: sumOf(of.map(({ cost }) => cost.estimated_usd)),
})

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

/** Rows count once, in the format that was asked for. */
function sizes(made: readonly Dataset[]): TrainingFigures['datasets'] {
  const ready = made.filter(({ status }) => status === 'ready')
  const rowsOf = ({ format, files }: Dataset) =>
    files.reduce((sum, { path, rows = 0 }) => (path.startsWith(`${format}/`) ? sum + rows : sum), 0)
  const total = (of: (dataset: Dataset) => number) => ready.reduce((sum, dataset) => sum + of(dataset), 0)
  return {
    total: ready.length,
    rows: total(rowsOf),
    pairs: total(({ counts }) => counts?.pairs ?? 0),
    stale: made.filter(({ status }) => status === 'stale').length,
  }
}
