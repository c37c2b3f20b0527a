import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { training } from '../../../functions/training/routes.ts'
import { PutObjectCommand, s3 } from '../../../shared/base/aws/s3.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { findModel } from '../../../shared/learn/models/model.ts'
import { storedDataset } from '../../support/dataset-files.ts'
import { trainingProviders } from '../../support/training-providers.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let providers: Awaited<ReturnType<typeof trainingProviders>>
beforeAll(async () => {
  providers = await trainingProviders()
})
afterAll(() => providers.close())
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_SAGEMAKER', providers.url)
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK', providers.url)
  vi.stubEnv('TRAINING_IMAGE', '000000000000.dkr.ecr.us-east-1.amazonaws.com/trl:1')
  vi.stubEnv('TRAINING_ROLE_ARN', 'arn:aws:iam::000000000000:role/trains')
  vi.stubEnv('TRAINING_INSTANCE', 'ml.g5.2xlarge')
  vi.stubEnv('BEDROCK_ROLE_ARN', 'arn:aws:iam::000000000000:role/tunes')
  vi.stubEnv('TRAINING_PRICES', 'sagemaker=0.5')
  providers.control.down = false
})

const ROWS = [
  { payload: { amount: 5 }, approved: true },
  { payload: { amount: 500 }, approved: false },
]

async function started(over: object) {
  const tenant = await local.tenant()
  const ctx = systemContext({ tenant_id: tenant.tenant_id, mode: 'live' })
  const dataset = await storedDataset(ctx, ROWS, ROWS)
  const body = {
    name: 'writer',
    dataset_id: dataset.id,
    base_model: 'base',
    hyperparameters: { epochCount: 2 },
    ...over,
  }
  const created = await tenant.call(training.createJob, { body })
  expect(created).toMatchObject({ status: 202 })
  const { id } = created.body
  const ref = id.replace('_', '-')
  const read = async () => (await tenant.call(training.getJob, { params: { job_id: id } })).body
  const cancel = () => tenant.call(training.cancelJob, { params: { job_id: id } })
  await local.drain()
  return { ctx, ref, dataset, read, cancel }
}

async function minute(count = 1): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) {
    await local.advance(61_000)
    await local.sweep()
    await local.drain()
  }
}

const say = (ref: string, state: object) => Object.assign(providers.jobs.get(ref)?.state ?? {}, state)

describe('a job on SageMaker', () => {
  test('is started once with the files of the dataset, and followed to its model', async () => {
    const { ctx, ref, read, dataset } = await started({ type: 'dpo' })
    expect(await read()).toMatchObject({ status: 'provisioning', trainer: 'sagemaker', trainer_ref: ref })
    expect(providers.jobs.get(ref)?.asked).toMatchObject({
      EnableNetworkIsolation: true,
      HyperParameters: { epochCount: '2', base_model: 'base', method: 'dpo' },
      InputDataConfig: [{ ChannelName: 'train' }, { ChannelName: 'test' }],
      StoppingCondition: { MaxRuntimeInSeconds: 86_400 },
    })
    expect(JSON.stringify(providers.jobs.get(ref)?.asked)).toContain(`${dataset.id}/1/dpo/train.jsonl`)

    say(ref, { SecondaryStatus: 'Training' })
    await minute()
    expect(await read()).toMatchObject({ status: 'running' })
    const Key = `models/${ctx.space.tenant_id}/live/output/model.tar.gz`
    await s3().send(new PutObjectCommand({ Bucket: process.env.FILES_BUCKET, Key, Body: 'weights' }))
    say(ref, {
      SecondaryStatus: 'Completed',
      ModelArtifacts: { S3ModelArtifacts: `s3://${process.env.FILES_BUCKET}/${Key}` },
      FinalMetricDataList: [{ MetricName: 'eval_rewards/accuracies', Value: 0.75 }],
      BillableTimeInSeconds: 100,
    })
    await minute()
    const job = await read()

    expect(job).toMatchObject({
      status: 'completed',
      metrics: { 'eval_rewards/accuracies': 0.75, quality_gate: 'none' },
      cost: { compute_seconds: 100, estimated_usd: 50, price_source: 'TRAINING_PRICES sagemaker=0.5' },
    })
    expect((await findModel(ctx, job.model_id)).artifact).toMatchObject({ sha256: sha256Hex('weights'), bytes: 7 })
  })

  test('that cannot be asked for an hour is not given up', async () => {
    const { ref, read } = await started({ type: 'kto' })
    providers.control.down = true
    await minute(60)
    expect(await read()).toMatchObject({ status: 'provisioning' })
    providers.control.down = false
    say(ref, { SecondaryStatus: 'MaxRuntimeExceeded', FailureReason: 'too long' })
    await minute()

    expect(await read()).toMatchObject({ status: 'failed', error: { code: 'MaxRuntimeExceeded', message: 'too long' } })
  })

  test('is stopped there when it is cancelled here', async () => {
    const { ref, read, cancel } = await started({ type: 'kto' })
    expect(await cancel()).toMatchObject({ status: 202 })
    await minute()
    expect(providers.stopped).toContain(ref)
    say(ref, { SecondaryStatus: 'Stopped' })
    await minute()

    expect(await read()).toMatchObject({ status: 'cancelled' })
  })
})

describe('a job on Bedrock', () => {
  test('reads the rows as conversations, and its model stays there', async () => {
    const { ctx, ref, read } = await started({ type: 'sft', trainer: 'bedrock' })
    expect(providers.jobs.get(ref)?.asked).toMatchObject({
      customizationType: 'FINE_TUNING',
      hyperParameters: { epochCount: '2' },
    })
    say(ref, { statusDetails: { trainingDetails: { status: 'InProgress' } } })
    await minute()
    expect(await read()).toMatchObject({ status: 'running' })
    const arn = 'arn:aws:bedrock:us-east-1:000000000000:custom-model/base/abc'
    say(ref, { status: 'Completed', outputModelArn: arn, trainingMetrics: { trainingLoss: 0.25 } })
    await minute()
    const job = await read()

    expect(job).toMatchObject({ status: 'completed', metrics: { train_loss: 0.25 } })
    expect((await findModel(ctx, job.model_id)).artifact).toMatchObject({ uri: arn, format: 'provider-model' })
  })

  test('that is refused fails with the reason', async () => {
    const { ref, read } = await started({ type: 'sft', trainer: 'bedrock' })
    say(ref, { status: 'Failed', failureMessage: 'no such base model' })
    await minute()

    expect(await read()).toMatchObject({ status: 'failed', error: { message: 'no such base model' } })
  })
})
