import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { showForm } from '../../shared/identity/users/pages/password.ts'
import { auth } from './routes.ts'

export const shapes = {
  query: z.object({
    token: z
      .string()
      .max(128)
      .default('')
      .describe('The one-time token from the mail.')
      .meta({ examples: ['the-token-of-the-mail'] }),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(auth.passwordPage, shapes, ({ query, ctx }) => showForm(ctx, query.token))
