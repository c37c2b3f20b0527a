import '../effects.ts'
import * as z from 'zod'
import { systemContext } from '../../shared/base/context.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import { spaceMembers } from '../../shared/base/table/members.ts'
import { runRemoval } from '../../shared/deliver/integrations/sync/removal.ts'
import { runSync } from '../../shared/deliver/integrations/sync/run-sync.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

const Message = z.union([
  z.object({ ...spaceMembers, id: z.string() }),
  z.object({ ...spaceMembers, remove: z.string() }),
  z.object({ nango: z.string() }),
])

async function carryOut(message: z.output<typeof Message>): Promise<void> {
  if ('nango' in message) {
    const { takeMessage } = await import('../../shared/deliver/integrations/nango/take-message.ts')
    return takeMessage(message.nango)
  }
  const ctx = systemContext({ tenant_id: message.tenant_id, mode: message.mode })
  return 'id' in message ? runSync(ctx, message.id) : runRemoval(ctx, message.remove)
}

/** One message per run, or per connection whose records are to be removed. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      await carryOut(Message.parse(JSON.parse(body)))
    } catch (error) {
      alarm('sync_not_done', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
