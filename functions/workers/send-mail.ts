import { alarm } from '../../shared/base/lib/log.ts'
import { Mail } from '../../shared/ledger/events/mail.ts'
import { sendMail } from '../../shared/identity/mail/send.ts'

type QueueEvent = { Records: { messageId: string; body: string }[] }

/** Failed messages return to the queue; after three tries they go to the dead-letter queue. */
export const handler = async ({ Records }: QueueEvent) => {
  const ends = await Promise.allSettled(Records.map(async ({ body }) => sendMail(Mail.parse(JSON.parse(body)))))
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const end = ends[index]
    if (end?.status !== 'rejected') return []
    alarm('mail.failed', end.reason, { message: messageId })
    return [{ itemIdentifier: messageId }]
  })
  return { batchItemFailures }
}
