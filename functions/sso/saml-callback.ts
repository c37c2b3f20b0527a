import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { inBrowser, readCookie } from '../../shared/identity/sso/browser.ts'
import { takeResponse } from '../../shared/identity/sso/saml/callback.ts'
import { sso } from './routes.ts'

export const shapes = {
  /** Other fields, RelayState too, are ignored, because the response itself names its request. */
  body: z.object({
    SAMLResponse: z
      .string()
      .describe('The response of the identity provider, Base64 (SAML 2.0 bindings, section 3.5).'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(sso.samlCallback, shapes, ({ body, headers, ctx }) =>
  inBrowser(ctx, (attempt) => {
    const posted = { response: body.SAMLResponse, cookie: readCookie(headers) }
    return takeResponse(ctx, posted, attempt)
  }),
)
