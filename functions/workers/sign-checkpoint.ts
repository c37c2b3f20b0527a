import * as z from 'zod'
import { systemContext } from '../../shared/base/context.ts'
import { checkpoint } from '../../shared/ledger/evidence/sign/checkpoint.ts'
import { sequence } from '../../shared/ledger/evidence/chain/sequence.ts'
import { enqueueExport } from '../../shared/assure/exports/enqueue.ts'
import { alarm } from '../../shared/base/lib/log.ts'
import { spaceMembers } from '../../shared/base/table/members.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

const Message = z.object({ ...spaceMembers, export: z.string().optional() })

/** One message per chain that may be due or that an export waits for. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      const { export: waiting, ...space } = Message.parse(JSON.parse(body))
      const ctx = systemContext(space)
      const wanted = waiting !== undefined
      if (wanted) await sequence(ctx)
      while ((await checkpoint(ctx, wanted)) === 'more');
      if (wanted) await enqueueExport(space, waiting, { asked: true })
    } catch (error) {
      alarm('evidence.not_signed', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
