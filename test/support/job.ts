// A training job of which nothing but its item is made.
import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { Job } from '../../shared/learn/jobs/job.ts'

export function newJob(ctx: Context, change: Partial<Job> = {}): Job {
  return {
    ...ctx.space,
    id: ctx.id('job'),
    name: 'approval-scorer',
    type: 'approval',
    dataset_id: 'dst_1',
    dataset_sha256: 'cd'.repeat(32),
    trainer: 'embedded',
    hyperparameters: { epochs: 15 },
    status: 'queued',
    progress: 0,
    stage: 'waiting',
    cost: { compute_seconds: null, estimated_usd: null, price_source: null },
    logs: [],
    queued_at: iso(ctx.now()),
    created_by: { type: 'api_key', id: 'key_1' },
    evidence_artifact_id: ctx.id('art'),
    ...change,
  }
}
