import { AGAIN, comeBackAfter, type QueueEvent, read, type Received } from '../../shared/base/kernel/queue.ts'
import { logouts } from '../../shared/ledger/events/enqueue.ts'
import { signWithKms } from '../../shared/identity/oauth/sign-with-kms.ts'
import { sendLogout } from '../../shared/identity/oauth/send-logout.ts'

/** Seconds after each failure: about four hours in all. */
const PAUSES = [5, 30, 120, 600, 1_800, 3_600, 7_200]

async function pause(received: Received): Promise<void> {
  const seconds = PAUSES[received.receives - 1]
  if (seconds !== undefined) await comeBackAfter(seconds, received, logouts)
}

/** Reports to all clients of a batch at once, so that a slow one delays no other. */
export const handler = (event: QueueEvent) =>
  read(
    logouts,
    event,
    { failed: 'logout.failed', atOnce: event.Records.length, onReturn: pause },
    async (logout, { receives: attempt }) => {
      const mustRepeat = await sendLogout({ logout, attempt, isLast: attempt > PAUSES.length, sign: signWithKms })
      return mustRepeat && AGAIN
    },
  )
