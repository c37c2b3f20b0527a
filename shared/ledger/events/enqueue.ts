import { env } from '../../base/lib/env.ts'
import type { Mail } from './mail.ts'

/** Enqueues mails at once. Mails that belong to a commit go into its outbox item instead (`RecordOptions.mails`). */
export async function enqueueMails(mails: readonly Mail[]): Promise<void> {
  const { SendMessageCommand, sqs } = await import('../../base/aws/sqs.ts')
  await Promise.all(
    mails.map((mail) =>
      sqs().send(new SendMessageCommand({ QueueUrl: env('MAIL_QUEUE_URL'), MessageBody: JSON.stringify(mail) })),
    ),
  )
}

export const enqueueMail = (mail: Mail): Promise<void> => enqueueMails([mail])
