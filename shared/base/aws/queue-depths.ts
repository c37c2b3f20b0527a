// Counts the messages that wait in queues.
import type { QueueName } from '../catalog/queues.ts'

/** How many messages wait in these queues, and in the dead-letter queue `<queue>-dlq` of each. */
export async function queueDepths(names: readonly QueueName[]): Promise<Record<string, number>> {
  const { GetQueueAttributesCommand, queueUrl, sqs } = await import('./sqs.ts')
  const AttributeNames = ['ApproximateNumberOfMessages' as const]
  const depths = names
    .flatMap((name) => [name, `${name}-dlq`] as const)
    .map(async (name) => {
      const { Attributes } = await sqs().send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl(name), AttributeNames }),
      )
      return [name, Number(Attributes?.ApproximateNumberOfMessages ?? 0)] as const
    })
  return Object.fromEntries(await Promise.all(depths))
}
