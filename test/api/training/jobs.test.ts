import { beforeAll, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { exports } from '../../../functions/exports/routes.ts'
import { slos } from '../../../functions/slos/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { handler as train } from '../../../functions/workers/train.ts'
import { GetObjectCommand, s3 } from '../../../shared/base/aws/s3.ts'
import { type Context, systemContext } from '../../../shared/base/context.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { readWeights, score } from '../../../shared/base/scorer/weights-file.ts'
import { jobs } from '../../../shared/learn/jobs/job.ts'
import { moveJob } from '../../../shared/learn/jobs/move-job.ts'
import { lifeline, Stopped, Worker } from '../../../shared/learn/jobs/train-embedded.ts'
import { findModel } from '../../../shared/learn/models/model.ts'
import { measure } from '../../../shared/learn/trainers/metrics/measure.ts'
import { mulberry32 } from '../../../shared/learn/trainers/embedded/fit.ts'
import { put, type Row, storedDataset } from '../../support/dataset-files.ts'
import { newDataset } from '../../support/dataset.ts'
import { datasets } from '../../../shared/learn/datasets/dataset.ts'
import { bodyOf } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const random = mulberry32(3)

/** Refunds below 100 are approved. */
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, () => {
    const amount = Math.floor(random() * 300)
    return { payload: { amount }, approved: amount < 100 }
  })

async function furnished() {
  const tenant = await local.tenant()
  const ctx = systemContext({ tenant_id: tenant.tenant_id, mode: 'live' })
  const dataset = await storedDataset(ctx, rowsOf(300), rowsOf(120))
  const create = (over: object = {}) =>
    tenant.call(training.createJob, {
      body: { name: 'approval-scorer', type: 'approval', dataset_id: dataset.id, ...over },
    })
  const read = async (job_id: string) => (await tenant.call(training.getJob, { params: { job_id } })).body
  const cancel = (job_id: string) => tenant.call(training.cancelJob, { params: { job_id } })
  return { tenant, ctx, dataset, create, read, cancel }
}

const textOf = async (uri: string) => {
  const Key = uri.replace(`s3://${process.env.FILES_BUCKET}/`, '')
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: process.env.FILES_BUCKET, Key }))
  return Body?.transformToString() ?? ''
}

const message = ({ space }: Context, id: string) => ({
  Records: [{ messageId: '1', body: JSON.stringify({ ...space, id }) }],
})

describe('POST /api/v1/ai-training/jobs', () => {
  let it: Awaited<ReturnType<typeof furnished>>
  beforeAll(async () => {
    it = await furnished()
  })

  test('202: a job trains a model, whose metrics are those of the stored predictions', async () => {
    const { status, body, headers } = await it.create()
    await local.drain()
    const job = await it.read(body.id)
    const model = await findModel(it.ctx, job.model_id)
    const file = await textOf(model.artifact.uri)

    expect({ status, state: body.status }).toEqual({ status: 202, state: 'queued' })
    expect(headers.location).toBe(`/api/v1/ai-training/jobs/${body.id}`)
    expect(job).toMatchObject({ status: 'completed', progress: 1, metrics: { quality_gate: 'passed' } })
    expect(job.cost).toMatchObject({ estimated_usd: null, price_source: null })
    expect(job.logs.length).toBeGreaterThan(15)
    expect(model).toMatchObject({ name: 'approval-scorer', model_version: 1, status: 'registered', job_id: body.id })
    const scorer = readWeights(file, model.artifact.sha256)
    expect(sha256Hex(file)).toBe(model.artifact.sha256)
    expect(score(scorer, 'shop.billing/refund_payment', { amount: 20 })).toBeGreaterThan(0.8)
    expect(score(scorer, 'shop.billing/refund_payment', { amount: 250 })).toBeLessThan(0.2)
    const lines = (await textOf(`${model.artifact.uri}.predictions.ndjson`)).trim().split('\n')
    const again = measure(
      lines.map((line) => JSON.parse(line)),
      0.5,
    )
    expect(again.log_loss).toBeCloseTo(job.metrics.test.log_loss, 9)
    expect(again.auc).toBeCloseTo(job.metrics.test.auc, 9)
    expect(again.brier).toBeCloseTo(job.metrics.test.brier, 9)
  })

  test('202: a job from pairs learns which of two is preferred', async () => {
    const { body } = await it.create({ type: 'preference', name: 'preference-scorer' })
    await local.drain()
    const { status, metrics } = await it.read(body.id)

    expect(status).toBe('completed')
    expect(metrics.pairwise_accuracy).toBeGreaterThan(0.9)
  })

  test('each change of its state leaves an artifact without words that people wrote', async () => {
    const { body } = await it.create()
    await local.drain()
    const { evidence_artifact_id } = await it.read(body.id)
    const artifact = await it.tenant.call(evidence.get, { params: { id: evidence_artifact_id } })

    expect(JSON.parse(artifact.body.header)).toMatchObject({
      type: 'training.job.changed',
      subject: { type: 'training_job', id: body.id },
      data: { from: 'evaluating', to: 'completed', dataset_sha256: it.dataset.content_sha256 },
    })
  })

  test('its end counts for an objective of training', async () => {
    const own = await furnished()
    const objective = { name: 'Trains', sli: { metric: 'training_success' as const }, min_events: 1 }
    const body = { ...objective, target_percent: 90, measurement_window: 'rolling-7d' as const }
    const { id } = bodyOf(await own.tenant.call(slos.create, { body }), 201)
    await own.create()
    await local.drain()
    await local.advance(130_000)
    await local.sweep()

    expect(bodyOf(await own.tenant.call(slos.errorBudget, { params: { id } }), 200)).toMatchObject({
      total_events: 1,
      bad_events: 0,
      status: 'healthy',
    })
  })

  test('a message that comes twice makes no second model', async () => {
    const { body } = await it.create()
    await local.drain()
    const first = await it.read(body.id)
    await train(message(it.ctx, body.id))

    expect(await it.read(body.id)).toEqual(first)
  })

  test.each([
    [{ type: 'dpo', base_model: 'some/model' }, ['body', 'type']],
    [{ type: 'approval', trainer: 'sagemaker' }, ['body', 'type']],
    [{ base_model: 'some/model' }, ['body', 'base_model']],
    [{ hyperparameters: { epochs: 51 } }, ['body', 'hyperparameters', 'epochs']],
    [{ hyperparameters: { learning_rate: 2 } }, ['body', 'hyperparameters', 'learning_rate']],
    [{ name: 'Approval Scorer' }, ['body', 'name']],
  ])('422: %j', async (over, loc) => {
    expect(await it.create(over)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
  })

  test('a dataset that is missing, not ready, or without such rows is refused', async () => {
    const { ctx, create } = it
    const stale = newDataset(ctx, { status: 'stale' })
    const pairs = newDataset(ctx)
    await ctx.table.commit([datasets.insert(stale), datasets.insert(pairs)])

    expect(await create({ dataset_id: ctx.id('dst') })).toMatchObject({ status: 404 })
    expect(await create({ dataset_id: stale.id })).toMatchObject({ status: 409 })
    expect(await create({ dataset_id: pairs.id })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'dataset_id'] }] },
    })
  })
})

describe('a training job', () => {
  test('is refused while two are open, and again possible when one has ended', async () => {
    const { create, cancel } = await furnished()
    const [first] = [await create(), await create()]

    expect(await create()).toMatchObject({ status: 409 })
    expect(await cancel(first.body.id)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(await create()).toMatchObject({ status: 202 })
    await local.drain()
    expect(await create()).toMatchObject({ status: 202 })
    await local.drain()
  })

  test.each([
    ['kto/train.jsonl', (text: string) => text.replace('true', 'false'), 'dataset_changed'],
    ['manifest.json', (text: string) => text.replace('kto/test', 'kto/best'), 'dataset_changed'],
  ])('fails when %s was changed', async (path, change, code) => {
    const { create, read, ctx, dataset } = await furnished()
    const key = `s3://${process.env.FILES_BUCKET}/datasets/${ctx.space.tenant_id}/live/${dataset.id}/1/${path}`
    await put(dataset, path, change(await textOf(key)))
    const { body } = await create()
    await local.drain()

    expect(await read(body.id)).toMatchObject({ status: 'failed', error: { code } })
  })

  test('stops within an epoch of its cancellation', async () => {
    const { create, read, cancel, ctx } = await furnished()
    const { body } = await create()
    const found = await ctx.table.get(jobs, { ...ctx.space, id: body.id })
    if (!found) throw new Error('no job')
    const worker = new Worker(ctx, await moveJob(ctx, found, { status: 'running', ...lifeline(ctx) }))
    await worker.beat(0.3, 'training', 'Epoch 1')

    expect(await cancel(body.id)).toMatchObject({ status: 202, body: { status: 'cancelling' } })
    expect(await cancel(body.id)).toMatchObject({ status: 202 })
    await expect(worker.beat(0.4, 'training', 'Epoch 2')).rejects.toThrow(Stopped)
    await local.advance(6 * 60_000)
    await local.sweep()
    expect(await read(body.id)).toMatchObject({ status: 'cancelled' })
    expect(await cancel(body.id)).toMatchObject({ status: 409 })
  })

  test.each(['running', 'evaluating'] as const)('whose worker dies while it is %s fails', async (status) => {
    const { create, read, ctx } = await furnished()
    const { body } = await create()
    const found = await ctx.table.get(jobs, { ...ctx.space, id: body.id })
    if (!found) throw new Error('no job')
    const running = await moveJob(ctx, found, { status: 'running', ...lifeline(ctx) })
    if (status === 'evaluating') await moveJob(ctx, running, { status, ...lifeline(ctx) })
    await local.drain() // the message finds the job begun
    expect(await read(body.id)).toMatchObject({ status })
    await local.advance(6 * 60_000)
    await local.sweep()

    expect(await read(body.id)).toMatchObject({ status: 'failed', error: { code: 'heartbeat_lost' } })
    expect(await create()).toMatchObject({ status: 202 })
    await local.drain()
  })

  test('is listed by offset', async () => {
    const { tenant, create } = await furnished()
    const { body } = await create()
    await local.drain()
    const page = await tenant.call(training.listJobs, { query: { type: 'approval', status: 'completed' } })

    expect(page.body).toMatchObject({ total: 1, offset: 0, limit: 50, items: [{ id: body.id }] })
    expect(page.body).not.toHaveProperty('next_cursor')
  })

  test('is a row of the export of training', async () => {
    const { tenant, create } = await furnished()
    const { body } = await create()
    await local.drain()
    await local.advance(1_000)
    const { status, body: found } = await tenant.call(exports.training, { query: { window_days: 7 } })

    expect(status).toBe(200)
    expect(found.items).toMatchObject([
      {
        job_id: body.id,
        status: 'completed',
        trainer: 'embedded',
        cost_usd: null,
        model_version: '1',
        deployed_at: null,
      },
    ])
    expect(found.items[0].test_auc).toBeGreaterThan(0.9)
  })
})
