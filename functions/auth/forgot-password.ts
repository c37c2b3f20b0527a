import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { id, optional } from '../../shared/base/wire/fields.ts'
import { enqueueMail } from '../../shared/ledger/events/enqueue.ts'
import { newMail } from '../../shared/ledger/events/mail.ts'
import { Email } from '../../shared/identity/accounts/password.ts'
import { mayReset } from '../../shared/identity/users/mail-limit.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({ email: Email, tenant_id: optional(id).describe('Id of the tenant.') }),
  response: z.object({ status: z.literal('accepted').describe('The current state.') }),
}

/** Does not look the address up, so that neither the response nor its timing reveals whether it has an account. */
export const handler = endpoint(auth.forgotPassword, shapes, async ({ body, ctx }) => {
  if (await mayReset(ctx, body)) await enqueueMail(newMail(ctx, 'password_reset', body))
  return { status: 'accepted' as const }
})
