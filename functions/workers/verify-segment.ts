import { continueFullPass } from '../../shared/govern/completeness/continue-full-pass.ts'
import { VerificationMessage } from '../../shared/ledger/evidence/verify/verify-queue.ts'
import { alarm } from '../../shared/base/lib/log.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

/** One message per part of a full pass, or per chain whose pass is to start. Failed messages return to the queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = []
  for (const { messageId, body } of Records) {
    try {
      await continueFullPass(VerificationMessage.parse(JSON.parse(body)))
    } catch (error) {
      alarm('evidence.not_verified', error, { message: messageId })
      batchItemFailures.push({ itemIdentifier: messageId })
    }
  }
  return { batchItemFailures }
}
