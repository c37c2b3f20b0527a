import { describe, expect, test } from 'vitest'
import { training } from '../../../functions/training/routes.ts'
import { type Context, systemContext } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { type Job, jobs, openOne } from '../../../shared/learn/jobs/job.ts'
import { datasets } from '../../../shared/learn/datasets/dataset.ts'
import { models } from '../../../shared/learn/models/model.ts'
import { newDataset } from '../../support/dataset.ts'
import { bodyOf } from '../../support/governed.ts'
import { newJob } from '../../support/job.ts'
import { newModel } from '../../support/model.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000

const local = useLocalStack()

async function furnished() {
  const tenant = await local.tenant()
  const ctx = systemContext({ tenant_id: tenant.tenant_id, mode: 'live' })
  const health = async () => bodyOf(await tenant.call(training.infrastructureHealth), 200)
  return { ...tenant, ctx, health }
}

/** A job that has not ended. */
async function opened(ctx: Context, change: Partial<Job>): Promise<string> {
  const job = newJob(ctx, change)
  await ctx.table.commit([jobs.insert(job), await openOne(ctx, job.id)])
  return job.id
}

describe('GET /api/v1/ai-training/infrastructure', () => {
  test('200: the embedded trainer works everywhere; what is not configured says so', async () => {
    const { call } = await furnished()

    const { items } = bodyOf(await call(training.infrastructure), 200)
    expect(items).toMatchObject([
      {
        id: 'embedded',
        kind: 'built_in',
        configured: true,
        status: 'available',
        capabilities: ['preference', 'approval'],
        running_jobs: 0,
        queue: { name: 'training', depth: 0, dlq_depth: 0, oldest_age_s: null },
      },
      { id: 'sagemaker', configured: false, status: 'not_configured', instance_type: null },
      { id: 'bedrock', configured: false, status: 'not_configured', capabilities: ['sft'] },
    ])
  })

  test('200: counts what waits and what runs', async () => {
    const { call, ctx } = await furnished()
    await opened(ctx, { queued_at: iso(ctx.now() - 5 * MINUTE) })
    await opened(ctx, { status: 'running', heartbeat_at: iso(ctx.now()) })

    const { items } = bodyOf(await call(training.infrastructure), 200)
    expect(items[0]).toMatchObject({ running_jobs: 1, queue: { oldest_age_s: 300 } })
  })
})

describe('GET /api/v1/ai-training/infrastructure/health', () => {
  test('200: healthy, with the end of the last completed job', async () => {
    const { ctx, health } = await furnished()
    expect(await health()).toMatchObject({ status: 'healthy', last_completed_job_at: null, stuck_jobs: [] })

    const finished_at = iso(ctx.now() - MINUTE)
    await ctx.table.commit([jobs.insert(newJob(ctx, { status: 'completed', finished_at }))])
    expect(await health()).toMatchObject({ status: 'healthy', last_completed_job_at: finished_at })
  })

  test('200: names a job whose worker is dead, and one that no worker takes', async () => {
    const { ctx, health } = await furnished()
    const dead = await opened(ctx, { status: 'running', heartbeat_at: iso(ctx.now() - 6 * MINUTE) })
    const waiting = await opened(ctx, { queued_at: iso(ctx.now() - 61 * MINUTE) })

    const { status, stuck_jobs, trainers } = await health()
    expect({ status, stuck_jobs: stuck_jobs.toSorted() }).toEqual({
      status: 'degraded',
      stuck_jobs: [dead, waiting].toSorted(),
    })
    expect(trainers[0]).toMatchObject({ id: 'embedded', status: 'degraded' })
  })

  test('200: a provider that answers for none of its jobs is unavailable', async () => {
    Object.assign(process.env, { TRAINING_IMAGE: 'image', TRAINING_ROLE_ARN: 'role' })
    const { ctx, health } = await furnished()
    const id = await opened(ctx, { trainer: 'sagemaker', status: 'running', unreachable_since: iso(ctx.now()) })

    expect(await health()).toMatchObject({
      status: 'degraded',
      stuck_jobs: [id],
      trainers: [{ status: 'available' }, { id: 'sagemaker', status: 'unavailable' }, { status: 'not_configured' }],
    })
    Object.assign(process.env, { TRAINING_IMAGE: '', TRAINING_ROLE_ARN: '' })
  })

  test('200: without its queue nothing trains', async () => {
    const { health } = await furnished()
    const base = process.env.QUEUE_BASE
    process.env.QUEUE_BASE = 'http://127.0.0.1:9/none-'

    expect(await health()).toMatchObject({ status: 'unavailable', queue: { depth: null, dlq_depth: null } })
    process.env.QUEUE_BASE = base
  })
})

describe('GET /api/v1/ai-training/stats', () => {
  test('200: what nothing measured is null', async () => {
    const { call } = await furnished()

    expect(bodyOf(await call(training.stats), 200)).toEqual({
      window: '30d',
      jobs: { total: 0, by_status: {}, success_rate: null, p50_seconds: null },
      datasets: { total: 0, rows: 0, pairs: 0, stale: 0 },
      models: { total: 0, deployed: 0, by_slot: {} },
      feedback: { count: 0, positive_rate: null },
      model_quality: [],
      cost: { compute_seconds: null, estimated_usd: null },
    })
  })

  test('200: counts the jobs of the window, and what there is', async () => {
    const { call, ctx } = await furnished()
    const ended = (status: 'completed' | 'failed') => ({
      status,
      started_at: iso(ctx.now() - 61_000),
      finished_at: iso(ctx.now() - 1_000),
      cost: { compute_seconds: 60, estimated_usd: 0.5, price_source: 'TRAINING_PRICES embedded=1' },
    })
    await ctx.table.commit([
      jobs.insert(newJob(ctx, ended('completed'))),
      jobs.insert(newJob(ctx, ended('failed'))),
      datasets.insert(newDataset(ctx, { status: 'stale' })),
      models.insert({ ...newModel(ctx), status: 'deployed' }),
      models.insert({ ...newModel(ctx), name: 'other' }),
    ])
    for (const [target_id, rating] of [
      ['default', 1],
      ['cautious', -1],
    ] as const)
      bodyOf(await call(training.submitFeedback, { body: { target_type: 'persona', target_id, rating } }), 201)
    await local.advance(1_000)

    expect(bodyOf(await call(training.stats, { query: { window: '24h' } }), 200)).toMatchObject({
      window: '24h',
      jobs: { total: 2, by_status: { completed: 1, failed: 1 }, success_rate: 0.5, p50_seconds: expect.closeTo(60, 1) },
      datasets: { total: 0, stale: 1 },
      models: { total: 2, deployed: 1, by_slot: { 'approval-scorer': 1, other: 1 } },
      feedback: { count: 2, positive_rate: 0.5 },
      model_quality: [{ slot: 'approval-scorer', version: 1, accuracy: null }],
      cost: { compute_seconds: 120, estimated_usd: 1 },
    })
  })

  test('refuses a window that is none', async () => {
    const { call } = await furnished()

    expect((await call(training.stats, { query: { window: '5m' } })).status).toBe(400)
  })
})
