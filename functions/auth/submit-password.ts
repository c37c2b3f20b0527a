import '../first-proof.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { displayName } from '../../shared/base/wire/fields.ts'
import { Password } from '../../shared/identity/accounts/password.ts'
import { takeForm } from '../../shared/identity/users/pages/password.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    token: z.string().min(1).max(128).describe('The token from the mail.'),
    password: Password.describe('The password.'),
    repeated: Password.describe('The password again.'),
    name: displayName(120, 0)
      .transform((name) => name || undefined)
      .optional()
      .describe('A name for people.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(auth.submitPassword, shapes, ({ body, ctx }) => takeForm(ctx, body))
