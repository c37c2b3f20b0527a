// The probes of readiness. Each one calls its dependency.
import { env } from '../../base/lib/env.ts'
import type { Probe } from './probe.ts'

export const queues: Probe = async () => {
  const { GetQueueAttributesCommand, sqs } = await import('../../base/aws/sqs.ts')
  const urls = [env('WEBHOOK_FANOUT_QUEUE_URL'), env('CHECKPOINTS_QUEUE_URL')]
  const AttributeNames = ['ApproximateNumberOfMessages' as const]
  const answers = await Promise.all(
    urls.map((QueueUrl) => sqs().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))),
  )
  const [deliveries = 0, checkpoints = 0] = answers.map(({ Attributes }) =>
    Number(Attributes?.ApproximateNumberOfMessages ?? 0),
  )
  return { detail: { deliveries_waiting: deliveries, checkpoints_waiting: checkpoints } }
}

export const bus: Probe = async () => {
  const { DescribeEventBusCommand, eventbridge } = await import('../../base/aws/eventbridge.ts')
  await eventbridge().send(new DescribeEventBusCommand({ Name: env('BUS_NAME') }))
}

/** A disabled signing key stops checkpoints, not actions. */
export const signing: Probe = async () => {
  const { DescribeKeyCommand, kms } = await import('../../base/aws/kms.ts')
  const { KeyMetadata } = await kms().send(new DescribeKeyCommand({ KeyId: env('SIGN_KEY_ID') }))
  return KeyMetadata?.Enabled ? {} : { status: 'failed' }
}
