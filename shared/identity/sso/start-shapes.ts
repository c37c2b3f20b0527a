import * as z from 'zod'
import { ID } from '../../base/wire/fields.ts'

/** RFC 7636: base64url of a SHA-256. */
const challenge = z.string().regex(/^[\w-]{43}$/, 'This is not a code challenge. Send one of the method S256.')

export const startShapes = {
  query: z.object({
    tenant: z.string().regex(ID).optional(),
    email: z.string().max(254).optional(),
    redirect_uri: z.string().max(2_048).optional(),
    state: z.string().max(1_024).optional(),
    code_challenge: challenge.optional(),
    code_challenge_method: z.literal('S256').optional(),
    interaction: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional(),
    test: z.string().max(64).optional(),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}
