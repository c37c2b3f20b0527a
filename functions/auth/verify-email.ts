import * as z from 'zod'
import { unchanged } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { verifyEmail } from '../../shared/users/verify-email.ts'
import { auth } from './routes.ts'

export const shapes = {
  query: z.strictObject({ token: z.string().min(1).max(128) }),
  reply: z.object({ email: z.string(), verified: z.literal(true) }),
}

export const handler = endpoint(auth.verifyEmail, shapes, async ({ query, ctx }) => {
  const { email, first } = await verifyEmail(ctx, query.token)
  const verified = { email, verified: true } as const
  return first ? verified : unchanged(verified)
})
