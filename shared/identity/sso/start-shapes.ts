import * as z from 'zod'
import { ID } from '../../base/wire/fields.ts'

/** RFC 7636: base64url of a SHA-256. */
const challenge = z.string().regex(/^[\w-]{43}$/, 'This is not a code challenge. Send one of the method S256.')

export const startShapes = {
  query: z.object({
    tenant: z.string().regex(ID).optional().describe('The id of the tenant.'),
    email: z.string().max(254).optional().describe('The whole address.'),
    redirect_uri: z
      .string()
      .max(2_048)
      .optional()
      .describe('Where the answer goes, a registered address.')
      .meta({ examples: ['https://reporter.example/callback'] }),
    state: z.string().max(1_024).optional().describe('Returned unchanged with the answer.'),
    code_challenge: challenge.optional().describe('The challenge of PKCE (RFC 7636).'),
    code_challenge_method: z.literal('S256').optional().describe('How the challenge was made (RFC 7636).'),
    interaction: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional()
      .describe('The OAuth sign-in that this one belongs to.'),
    test: z.string().max(64).optional().describe('The ticket of a connection test.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}
