import { env } from '../../base/lib/env.ts'
import type { Logout } from './logout.ts'
import type { Mail } from './mail.ts'

/** Enqueues mails at once. Mails that belong to a commit go into its outbox item instead (`RecordOptions.mails`). */
export const enqueueMails = (mails: readonly Mail[]): Promise<void> => enqueue('MAIL_QUEUE_URL', mails)

export const enqueueMail = (mail: Mail): Promise<void> => enqueueMails([mail])

export const enqueueLogouts = (logouts: readonly Logout[]): Promise<void> => enqueue('LOGOUTS_QUEUE_URL', logouts)

async function enqueue(queue: string, messages: readonly object[]): Promise<void> {
  if (messages.length === 0) return
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  const QueueUrl = env(queue)
  await Promise.all(
    messages.map((message) => sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }))),
  )
}
