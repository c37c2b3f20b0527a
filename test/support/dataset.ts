// A dataset of which nothing but its item is made.
import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { Dataset } from '../../shared/learn/datasets/dataset.ts'

export function newDataset(ctx: Context, change: Partial<Dataset> = {}): Dataset {
  const now = iso(ctx.now())
  return {
    ...ctx.space,
    id: ctx.id('dst'),
    name: 'refunds',
    source: 'protocol_executions',
    format: 'dpo',
    style: 'json',
    status: 'ready',
    files: [{ path: 'dpo/train.jsonl', sha256: 'ab'.repeat(32), size_bytes: 7, rows: 1 }],
    content_sha256: 'cd'.repeat(32),
    dataset_version: 1,
    progress: 1,
    created_at: now,
    updated_at: now,
    created_by: { type: 'api_key', id: 'key_1' },
    artifact: { id: ctx.id('art'), hash: 'sha256:00' },
    attempt: 1,
    ...change,
  }
}
