import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'

const SPACES_PER_MESSAGE = 25

/** Hands spaces that have something to count to the worker `measure`; a space named twice is counted once. */
export async function enqueueSpaces(spaces: readonly Space[]): Promise<void> {
  const distinct = [...new Map(spaces.map((space) => [`${space.tenant_id}#${space.mode}`, space])).values()]
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  for (let from = 0; from < distinct.length; from += SPACES_PER_MESSAGE) {
    const message = distinct.slice(from, from + SPACES_PER_MESSAGE).map(({ tenant_id, mode }) => ({ tenant_id, mode }))
    const MessageBody = JSON.stringify({ spaces: message })
    await sqs().send(new SendMessageCommand({ QueueUrl: env('MEASURE_QUEUE_URL'), MessageBody }))
  }
}
