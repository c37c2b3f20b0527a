// Reads the files of a dataset line by line. What was read must have the hashes of the manifest, and the manifest the hash that
// the job was made with: neither a changed file nor a changed item trains anything.
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { datasetKey, datasets, type Dataset } from '../datasets/dataset.ts'
import type { Job } from './job.ts'

const Manifest = z.object({ files: z.array(z.object({ path: z.string(), sha256: z.string() })) })

/** The dataset is no longer what it was when the job was made. */
export class DatasetChanged extends Error {}

export type DatasetFiles = { lines: (path: string) => AsyncIterable<string>; has: (path: string) => boolean }

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
