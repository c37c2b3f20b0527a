// Supervised fine-tuning of a model of Amazon Bedrock. Its API has no type of training from preferences.
import { env } from '../../../base/lib/runtime.ts'
import { isNamed, type Provider, type ProviderState, refusal } from './provider.ts'

const load = () => import('../../../base/aws/bedrock.ts')

export const bedrockProvider: Provider = {
  start: async ({ name, base_model, hyperparameters, train, output }) => {
    const { CreateModelCustomizationJobCommand, bedrock } = await load()
    const command = new CreateModelCustomizationJobCommand({
      jobName: name,
      customModelName: name,
      clientRequestToken: name,
      roleArn: env('BEDROCK_ROLE_ARN'),
      baseModelIdentifier: base_model,
      customizationType: 'FINE_TUNING',
      trainingDataConfig: { s3Uri: train },
      outputDataConfig: { s3Uri: output },
      hyperParameters: hyperparameters,
    })
    await bedrock()
      .send(command)
      .catch((error: unknown) => {
        if (!isNamed(error, 'ConflictException')) throw refusal(error) // it exists: an earlier try has started it
      })
  },

  poll: async (jobIdentifier) => {
    const { GetModelCustomizationJobCommand, bedrock } = await load()
    try {
      return stateOf(await bedrock().send(new GetModelCustomizationJobCommand({ jobIdentifier })))
    } catch (error) {
      if (isNamed(error, 'ResourceNotFoundException')) return undefined
      throw error
    }
  },

  cancel: async (jobIdentifier) => {
    const { StopModelCustomizationJobCommand, bedrock } = await load()
    await bedrock()
      .send(new StopModelCustomizationJobCommand({ jobIdentifier }))
      .catch((error: unknown) => {
        if (!isNamed(error, 'ResourceNotFoundException', 'ConflictException')) throw error // it is there no more, or has stopped
      })
  },
}

type Described = {
  status?: string | undefined
  statusDetails?: { trainingDetails?: { status?: string | undefined } | undefined } | undefined
  failureMessage?: string | undefined
  outputModelArn?: string | undefined
  trainingMetrics?: { trainingLoss?: number | undefined } | undefined
}

function stateOf({ status, statusDetails, failureMessage, outputModelArn, trainingMetrics }: Described): ProviderState {
  const loss = trainingMetrics?.trainingLoss
  const metrics: Record<string, number> = loss === undefined ? {} : { train_loss: loss }
  const begun = statusDetails?.trainingDetails?.status ?? 'NotStarted'
  if (status === 'Failed') return { status: 'failed', error: { code: status, message: failureMessage ?? status } }
  if (status === 'Stopping') return { status: 'cancelling' }
  if (status === 'Stopped') return { status: 'cancelled' }
  if (status !== 'Completed') return { status: begun === 'NotStarted' ? 'provisioning' : 'running' }
  return { status: 'completed', metrics, ...(outputModelArn !== undefined && { artifact: outputModelArn }) }
}
