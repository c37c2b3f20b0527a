// The probes of readiness. Each one calls its dependency.
import { env } from '../../base/lib/env.ts'
import type { Probe } from './probe.ts'

/** Shows how many messages wait in each queue; those of a dead-letter queue, `<queue>-dlq`, wait for the operator. */
export const queues: Probe = async () => {
  const { GetQueueAttributesCommand, sqs } = await import('../../base/aws/sqs.ts')
  const AttributeNames = ['ApproximateNumberOfMessages' as const]
  const depths = env('QUEUE_URLS')
    .split(',')
    .map(async (queue) => {
      const [name = '', QueueUrl] = queue.split('=')
      const { Attributes } = await sqs().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))
      return [name, Number(Attributes?.ApproximateNumberOfMessages ?? 0)] as const
    })
  return { detail: Object.fromEntries(await Promise.all(depths)) }
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
