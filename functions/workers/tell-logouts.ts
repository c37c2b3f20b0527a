import { alarm } from '../../shared/base/lib/log.ts'
import { hideMessage, type QueueMessage } from '../../shared/base/aws/hide-message.ts'
import { Logout } from '../../shared/ledger/events/logout.ts'
import { signWithKms } from '../../shared/identity/oauth/sign-with-kms.ts'
import { tellLogout } from '../../shared/identity/oauth/tell-logout.ts'

type QueueEvent = { Records: QueueMessage[] }

/** Seconds after each failure: about four hours in all. */
const PAUSES = [5, 30, 120, 600, 1_800, 3_600, 7_200]

/** Tells all clients of a batch in parallel, so that a slow one delays no other. */
export const handler = async ({ Records }: QueueEvent) => {
  const failed = await Promise.all(
    Records.map(async (message) => {
      if (!(await mustComeBack(message))) return []
      const pause = PAUSES[receives(message) - 1]
      if (pause !== undefined) await hideMessage('LOGOUTS_QUEUE_URL', message, pause)
      return [{ itemIdentifier: message.messageId }]
    }),
  )
  return { batchItemFailures: failed.flat() }
}

const receives = ({ attributes }: QueueMessage) => Number(attributes.ApproximateReceiveCount)

async function mustComeBack(message: QueueMessage): Promise<boolean> {
  const attempt = receives(message)
  try {
    const logout = Logout.parse(JSON.parse(message.body))
    return await tellLogout({ logout, attempt, isLast: attempt > PAUSES.length, sign: signWithKms })
  } catch (error) {
    alarm('logout.failed', error, { message: message.messageId })
    return true
  }
}
