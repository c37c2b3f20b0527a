import { env } from '../lib/env.ts'

/** How many messages wait in these queues, by default in all; those of a dead-letter queue are under `<queue>-dlq`. */
export async function queueDepths(names?: readonly string[]): Promise<Record<string, number>> {
  const { GetQueueAttributesCommand, sqs } = await import('./sqs.ts')
  const AttributeNames = ['ApproximateNumberOfMessages' as const]
  const queues = env('QUEUE_URLS')
    .split(',')
    .map((queue) => queue.split('='))
    .filter(([name = '']) => names?.includes(name) ?? true)
  const depths = queues.map(async ([name = '', QueueUrl]) => {
    const { Attributes } = await sqs().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))
    return [name, Number(Attributes?.ApproximateNumberOfMessages ?? 0)] as const
  })
  return Object.fromEntries(await Promise.all(depths))
}
