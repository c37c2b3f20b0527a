import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { changePassword } from '../../shared/identity/users/change-password.ts'
import { Password } from '../../shared/identity/accounts/password.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    current_password: Password.describe('The current password.'),
    new_password: Password.describe('The new password.'),
  }),
  response: z.object({ status: z.literal('changed').describe('The current state.') }),
}

export const handler = endpoint(auth.changePassword, shapes, async ({ body, ctx }) => {
  await changePassword(ctx, body)
  return { status: 'changed' as const }
})
