import { mails } from '../../shared/ledger/events/enqueue.ts'
import { sendMail } from '../../shared/identity/mail/send.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'

/** Failed messages return to the queue; after three tries they go to the dead-letter queue. */
export const handler = (event: QueueEvent) =>
  read(mails, event, { failed: 'mail.failed', atOnce: event.Records.length }, (mail) => sendMail(mail))
