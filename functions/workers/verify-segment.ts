import { continueFullPass } from '../../shared/govern/completeness/full-pass.ts'
import { verifications } from '../../shared/ledger/evidence/verify/verify-queue.ts'
import { type QueueEvent, read } from '../../shared/base/kernel/queue.ts'

/** One message per part of a full pass, or per chain whose pass is to start. Failed messages return to the queue. */
export const handler = (event: QueueEvent) =>
  read(verifications, event, { failed: 'evidence.not_verified' }, continueFullPass)
