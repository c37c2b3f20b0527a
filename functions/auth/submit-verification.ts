import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { Password } from '../../shared/identity/accounts/password.ts'
import { takeVerification } from '../../shared/identity/users/pages/take-verification.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    token: z.string().min(1).max(128).describe('The token from the mail.'),
    password: Password.describe('The password.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(auth.submitVerification, shapes, ({ body, ctx }) => takeVerification(ctx, body))
