// A dataset with files in the bucket, as a generation writes them.
import { PutObjectCommand, s3 } from '../../shared/base/aws/s3.ts'
import type { Context } from '../../shared/base/context.ts'
import { canonicalJson, sha256Hex } from '../../shared/base/lib/json.ts'
import { type Dataset, datasetKey, datasets } from '../../shared/learn/datasets/dataset.ts'
import { newDataset } from './dataset.ts'

export type Row = { payload: object; approved: boolean; confidence?: number; source?: string }

const prompt = [
  { role: 'system', content: 'You are an agent whose actions are governed.' },
  { role: 'user', content: 'Node: shop.billing - Billing\nAction: refund_payment - Refunds a payment\nTask: refund' },
]

const ktoRow = ({ payload, approved }: Row) => ({
  prompt,
  completion: [{ role: 'assistant', content: canonicalJson(payload) }],
  label: approved,
})

/** Pairs the n-th approved row with the n-th rejected one. */
function pairsOf(rows: readonly Row[]) {
  const rejected = rows.filter(({ approved }) => !approved)
  const chosen = rows.filter(({ approved }) => approved)
  return chosen.slice(0, rejected.length).map(({ payload }, at) => ({
    prompt,
    chosen: [{ role: 'assistant', content: canonicalJson(payload) }],
    rejected: [{ role: 'assistant', content: canonicalJson(rejected[at]?.payload) }],
  }))
}

const lines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

const provenance = (file: string, rows: readonly Row[]) =>
  rows.map(({ approved, confidence = 1, source = 'human' }, row) => ({
    file,
    row,
    side: approved ? 'chosen' : 'rejected',
    confidence,
    source,
    execution_ids: [],
    artifact_ids: [],
  }))

export async function storedDataset(ctx: Context, train: readonly Row[], test: readonly Row[]): Promise<Dataset> {
  const texts: Record<string, string> = {
    'kto/train.jsonl': lines(train.map(ktoRow)),
    'kto/test.jsonl': lines(test.map(ktoRow)),
    'dpo/train.jsonl': lines(pairsOf(train)),
    'dpo/test.jsonl': lines(pairsOf(test)),
    'sft/train.jsonl': lines(train.filter(({ approved }) => approved).map(ktoRow)),
    'provenance.ndjson': lines([...provenance('kto/train.jsonl', train), ...provenance('kto/test.jsonl', test)]),
  }
  const files = Object.entries(texts).map(([path, text]) => ({
    path,
    sha256: sha256Hex(text),
    size_bytes: Buffer.byteLength(text),
  }))
  const manifest = `${canonicalJson({ v: 1, files })}\n`
  const dataset = newDataset(ctx, { files, content_sha256: sha256Hex(manifest) })
  for (const [path, text] of Object.entries({ ...texts, 'manifest.json': manifest })) await put(dataset, path, text)
  await ctx.table.commit([datasets.insert(dataset)])
  return dataset
}

export const put = (dataset: Dataset, path: string, Body: string) =>
  s3().send(new PutObjectCommand({ Bucket: process.env.FILES_BUCKET, Key: datasetKey(dataset, path), Body }))
