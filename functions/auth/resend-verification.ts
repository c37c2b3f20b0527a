import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { enqueueMail } from '../../shared/ledger/events/enqueue.ts'
import { newMail } from '../../shared/ledger/events/mail.ts'
import { Email } from '../../shared/identity/accounts/password.ts'
import { mayResend } from '../../shared/identity/users/mail-limit.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({ email: Email }),
  response: z.object({ status: z.literal('accepted').describe('The current state.') }),
}

/** Does not look the address up. The mail worker decides who gets a mail. */
export const handler = endpoint(auth.resendVerification, shapes, async ({ body, ctx }) => {
  if (await mayResend(ctx, body.email)) await enqueueMail(newMail(ctx, 'verify_email', body))
  return { status: 'accepted' as const }
})
