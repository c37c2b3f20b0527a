import { openTable } from '../../shared/base/context.ts'
import { takeTicket } from '../../shared/identity/sessions/ticket.ts'

type VerifyEvent = { request: { userAttributes: { sub?: string }; challengeAnswer: string } }

/** Called by the user pool: right is a live ticket of this account, which is used up by asking. */
export async function handler<E extends VerifyEvent>(event: E) {
  const { userAttributes, challengeAnswer: ticket } = event.request
  const user_id = userAttributes.sub // absent when nobody has the username
  const answerCorrect = user_id !== undefined && (await takeTicket(openTable(), { ticket, user_id }))
  return { ...event, response: { answerCorrect } }
}
