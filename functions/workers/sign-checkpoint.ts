import * as z from 'zod'
import { systemContext } from '../../shared/context.ts'
import { checkpoint } from '../../shared/evidence/checkpoint.ts'
import { alarm } from '../../shared/lib/log.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

const Message = z.object({ tenant_id: z.string(), mode: z.enum(['live', 'test']) })

/** One message per chain that may be due. Those whose signing failed come back. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      const space = Message.parse(JSON.parse(body))
      while ((await checkpoint(systemContext(space))) === 'more');
    } catch (error) {
      alarm('evidence.not_signed', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
