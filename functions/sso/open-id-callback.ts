import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { inBrowser, readCookie } from '../../shared/identity/sso/browser.ts'
import { sso } from './routes.ts'

const text = z.string().max(8_192)

export const shapes = {
  query: z
    .object({
      code: text.optional().describe('The code that the provider hands out.'),
      state: text.optional().describe('Returned unchanged with the answer.'),
      iss: text.optional().describe('The issuer of the answer (RFC 9207).'),
      error: text.optional().describe('Why the provider refused.'),
    })
    .catchall(text), // providers may add parameters
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(sso.openIdCallback, shapes, ({ query, headers, ctx }) =>
  inBrowser(ctx, async (attempt) => {
    const { takeCodeOf } = await import('../../shared/identity/sso/oidc/callback.ts')
    return takeCodeOf(ctx, { query, cookie: readCookie(headers) }, attempt)
  }),
)
