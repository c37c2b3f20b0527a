import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { writtenMailbox } from '../../shared/base/lib/mailbox.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { isBrowser } from '../../shared/base/wire/page.ts'
import { showVerification } from '../../shared/identity/users/pages/verified.ts'
import { verifyEmail } from '../../shared/identity/users/verify-email.ts'
import { auth } from './routes.ts'

export const shapes = {
  query: z.object({
    token: z
      .string()
      .min(1)
      .max(128)
      .describe('The one-time token from the mail.')
      .meta({ examples: ['the-token-of-the-mail'] }),
  }),
  /** A text only for browsers: the page for people who open the link. */
  response: z.union([
    z.object({
      email: z.string().describe('The e-mail address.'),
      verified: z.literal(true).describe('Whether it was confirmed.'),
    }),
    z.string(),
  ]),
}

export const handler = endpoint(auth.verifyEmail, shapes, async ({ query, headers, ctx }) => {
  if (isBrowser(headers.accept)) return showVerification(ctx, query.token)
  const { email, first } = await verifyEmail(ctx, query)
  const verified = { email: writtenMailbox(email), verified: true } as const
  return first ? verified : unchanged(verified)
})
