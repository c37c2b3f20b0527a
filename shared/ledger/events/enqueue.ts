// The queues of mails and logouts.
import { queue, sendMany } from '../../base/kernel/queue.ts'
import { Logout, Mail } from './mail.ts'

export const mails = queue('mail', Mail)
export const logouts = queue('logouts', Logout)

/** Enqueues mails at once. Mails that belong to a commit go into its outbox item instead (`RecordOptions.mails`). */
export const enqueueMails = (all: readonly Mail[]): Promise<void> => sendMany(mails, all)

export const enqueueMail = (mail: Mail): Promise<void> => enqueueMails([mail])

export const enqueueLogouts = (all: readonly Logout[]): Promise<void> => sendMany(logouts, all)
