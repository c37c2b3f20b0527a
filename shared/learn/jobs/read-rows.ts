// The rows that the embedded trainer learns from and is measured on, read line by line; and the comparison of its model with the
// deployed one on the same test rows. The files must have the hashes of the manifest, and the manifest the hash that the job was
// made with: neither a changed file nor a changed item trains anything.
import { type Known, type LinearType, Provenance, readExamples } from '../trainers/rows/examples.ts'
import { FORMAT_OF } from '../trainers/trainer.ts'
import type { Job } from './job.ts'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { type Dataset, datasetKey, datasets } from '../datasets/dataset.ts'
import { readModel } from '../../govern/learned/load-model.ts'
import { findModel, type Model } from '../models/model.ts'
import { findSlot } from '../models/move-model.ts'
import { predict } from '../trainers/embedded/matrix.ts'
import { measure } from '../trainers/metrics/measure.ts'

/** No rows where the dataset has no such file. */
export async function readRows(files: DatasetFiles, job: Pick<Job, 'type'>, split: 'train' | 'test'): Promise<Known[]> {
  const file = `${FORMAT_OF[job.type]}/${split}.jsonl`
  if (!files.has(file)) return []
  const provenance = new Provenance()
  if (files.has('provenance.ndjson')) for await (const line of files.lines('provenance.ndjson')) provenance.add(line)
  return readExamples({ type: linearType(job), file, lines: files.lines(file), provenance })
}

export function linearType({ type }: Pick<Job, 'type'>): LinearType {
  if (type === 'approval' || type === 'preference') return type
  throw new Error(`the embedded trainer does not offer ${type}`)
}

const Manifest = z.object({ files: z.array(z.object({ path: z.string(), sha256: z.string() })) })

/** The dataset was changed or deleted after the job was made. */
export class DatasetChanged extends Error {}

type DatasetFiles = { lines: (path: string) => AsyncIterable<string>; has: (path: string) => boolean }

export async function openDataset({ table, space }: Context, job: Job): Promise<DatasetFiles> {
  const dataset = await table.get(datasets, { ...space, id: job.dataset_id })
  if (dataset?.status !== 'ready') throw new DatasetChanged('The dataset is not there any more.')
  const text = await bodyOf(dataset, 'manifest.json').then((body) => body.transformToString())
  if (sha256Hex(text) !== job.dataset_sha256) throw new DatasetChanged('The manifest of the dataset was changed.')
  const hashes = new Map(Manifest.parse(JSON.parse(text)).files.map(({ path, sha256 }) => [path, sha256]))
  return { has: (path) => hashes.has(path), lines: (path) => proven(dataset, path, hashes.get(path)) }
}

async function bodyOf(dataset: Dataset, path: string) {
  const { GetObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const Key = datasetKey(dataset, path)
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key }))
  if (!Body) throw new Error(`${Key} is empty`)
  return Body
}

async function* proven(dataset: Dataset, path: string, sha256: string | undefined): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const decoder = new TextDecoder()
  let rest = ''
  const body = await bodyOf(dataset, path)
  for await (const chunk of body.transformToWebStream()) {
    hash.update(chunk)
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  if (rest !== '') yield rest
  if (hash.digest('hex') !== sha256) throw new DatasetChanged(`The file ${path} of the dataset was changed.`)
}

/** Figures over judged test rows; null without any. */
type Quality = { model_id: string; rows: number; log_loss: number | null; auc: number | null; accuracy: number | null }
export type Comparison = {
  quality_gate: Model['quality_gate']
  candidate: Quality
  /** Null where the slot is empty. */
  deployed: Quality | null
  /** The gate is passed, and the log loss is lower than that of the deployed model. */
  better: boolean
}

export async function compare(ctx: Context, job: Job): Promise<Comparison> {
  const [candidate, slot] = await Promise.all([findModel(ctx, job.model_id ?? ''), findSlot(ctx, job.name)])
  const rows = (await readRows(await openDataset(ctx, job), job, 'test')).filter(({ judged }) => judged)
  const qualityOf = async (model: Model): Promise<Quality> => {
    const linear = await readModel(ctx.space, ctx.now(), model.artifact)
    const { log_loss, auc, accuracy } = measure(
      rows.map((row) => predict(linear, row)),
      0.5, // the baseline, which nothing here looks at
    )
    return { model_id: model.id, rows: rows.length, log_loss, auc, accuracy }
  }
  const now = slot.deployed === undefined ? undefined : await findModel(ctx, slot.deployed)
  const [own, deployed] = await Promise.all([qualityOf(candidate), now?.type === job.type ? qualityOf(now) : null])
  const isLower = deployed === null || (own.log_loss ?? Infinity) < (deployed.log_loss ?? Infinity)
  const { quality_gate } = candidate
  return { quality_gate, candidate: own, deployed, better: quality_gate === 'passed' && isLower }
}
