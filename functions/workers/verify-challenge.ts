import { openTable } from '../../shared/base/context.ts'
import { takeTicket } from '../../shared/identity/sessions/ticket.ts'

type VerifyEvent = { request: { userAttributes: { sub?: string }; challengeAnswer: string } }

/** Called by the user pool. The right answer is a valid ticket of this account; checking consumes the ticket. */
export async function handler<E extends VerifyEvent>(event: E) {
  const { userAttributes, challengeAnswer: ticket } = event.request
  const user_id = userAttributes.sub // absent when nobody has the username
  const answerCorrect = user_id !== undefined && (await takeTicket(openTable(), { ticket, user_id }))
  return { ...event, response: { answerCorrect } }
}
