import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { changePassword } from '../../shared/identity/users/change-password.ts'
import { Password } from '../../shared/identity/accounts/password.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({ current_password: Password, new_password: Password }),
  response: z.object({ status: z.literal('changed') }),
}

export const handler = endpoint(auth.changePassword, shapes, async ({ body, ctx }) => {
  await changePassword(ctx, body)
  return { status: 'changed' as const }
})
