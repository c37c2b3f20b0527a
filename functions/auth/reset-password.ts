import '../first-proof.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { Password } from '../../shared/identity/accounts/password.ts'
import { setPassword } from '../../shared/identity/users/set-password.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    token: z.string().min(1).max(128).describe('The token from the mail.'),
    password: Password.describe('The password.'),
  }),
  response: z.object({ status: z.literal('reset').describe('The current state.') }),
}

export const handler = endpoint(auth.resetPassword, shapes, async ({ body, ctx }) => {
  await setPassword(ctx, body)
  return { status: 'reset' as const }
})
