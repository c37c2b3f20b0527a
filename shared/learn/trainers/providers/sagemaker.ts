// Training in a container of the deployment's choice on Amazon SageMaker AI.
import { env } from '../../../base/lib/runtime.ts'
import type { TrainingInstanceType } from '../../../base/aws/sagemaker.ts'
import { type Ask, isNamed, type Provider, type ProviderState, refusal } from './provider.ts'

export const MAX_RUN_SECONDS = 86_400
const VOLUME_GB = 100
const RUNNING = ['Training', 'Updating', 'Restarting', 'Interrupted', 'Uploading']
const FAILED = ['Failed', 'MaxRuntimeExceeded', 'MaxWaitTimeExceeded']

const load = () => import('../../../base/aws/sagemaker.ts')

const channel = (ask: Ask, name: 'train' | 'test') => ({
  ChannelName: name,
  ContentType: 'application/jsonlines',
  DataSource: {
    S3DataSource: {
      S3DataType: 'S3Prefix' as const,
      S3Uri: `${ask.dataset}${ask.format}/${name}.jsonl`,
      S3DataDistributionType: 'FullyReplicated' as const,
    },
  },
})

export const sagemakerProvider: Provider = {
  start: async (ask) => {
    const { CreateTrainingJobCommand, sagemaker } = await load()
    const command = new CreateTrainingJobCommand({
      TrainingJobName: ask.name,
      RoleArn: env('TRAINING_ROLE_ARN'),
      AlgorithmSpecification: { TrainingImage: env('TRAINING_IMAGE'), TrainingInputMode: 'File' },
      HyperParameters: { ...ask.hyperparameters, base_model: ask.base_model, method: ask.format },
      InputDataConfig: [channel(ask, 'train'), ...(ask.hasTest ? [channel(ask, 'test')] : [])],
      OutputDataConfig: { S3OutputPath: ask.output },
      ResourceConfig: {
        InstanceType: env('TRAINING_INSTANCE') as TrainingInstanceType, // SageMaker refuses a type that it does not have
        InstanceCount: 1,
        VolumeSizeInGB: VOLUME_GB,
      },
      StoppingCondition: { MaxRuntimeInSeconds: MAX_RUN_SECONDS },
      EnableNetworkIsolation: true,
    })
    await sagemaker()
      .send(command)
      .catch((error: unknown) => {
        if (!isNamed(error, 'ResourceInUse')) throw refusal(error) // it exists: an earlier try has started it
      })
  },

  poll: async (TrainingJobName) => {
    const { DescribeTrainingJobCommand, sagemaker } = await load()
    try {
      return stateOf(await sagemaker().send(new DescribeTrainingJobCommand({ TrainingJobName })))
    } catch (error) {
      if (isNamed(error, 'ResourceNotFound') || isMissing(error)) return undefined
      throw error
    }
  },

  cancel: async (TrainingJobName) => {
    const { StopTrainingJobCommand, sagemaker } = await load()
    await sagemaker()
      .send(new StopTrainingJobCommand({ TrainingJobName }))
      .catch((error: unknown) => {
        if (!isNamed(error, 'ResourceNotFound', 'ValidationException')) throw error // it is there no more, or has stopped
      })
  },
}

/** A job that it does not know is a validation error of DescribeTrainingJob. */
const isMissing = (error: unknown): boolean =>
  isNamed(error, 'ValidationException') && error instanceof Error && /not found/i.test(error.message)

type Described = {
  SecondaryStatus?: string | undefined
  FailureReason?: string | undefined
  ModelArtifacts?: { S3ModelArtifacts?: string | undefined } | undefined
  FinalMetricDataList?: { MetricName?: string | undefined; Value?: number | undefined }[] | undefined
  BillableTimeInSeconds?: number | undefined
}

function stateOf(job: Described): ProviderState {
  const { SecondaryStatus: status = '', FailureReason: reason, ModelArtifacts, BillableTimeInSeconds: seconds } = job
  const more = {
    ...(seconds !== undefined && { compute_seconds: seconds }),
    metrics: Object.fromEntries(
      (job.FinalMetricDataList ?? []).map(({ MetricName = '', Value = Number.NaN }) => [MetricName, Value]),
    ),
  }
  if (RUNNING.includes(status)) return { ...more, status: 'running' }
  if (FAILED.includes(status)) return { ...more, status: 'failed', error: { code: status, message: reason ?? status } }
  if (status === 'Stopping') return { ...more, status: 'cancelling' }
  if (status === 'Stopped') return { ...more, status: 'cancelled' }
  if (status !== 'Completed') return { ...more, status: 'provisioning' }
  const artifact = ModelArtifacts?.S3ModelArtifacts
  return { ...more, status: 'completed', ...(artifact !== undefined && { artifact }) }
}
