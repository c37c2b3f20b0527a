import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { malformed } from '../../shared/base/lib/failure.ts'
import { inBrowser } from '../../shared/identity/sso/browser.ts'
import { takeLogout } from '../../shared/identity/sso/saml/single-logout.ts'
import { sso } from './routes.ts'

const message = z.string().max(8_192).optional()

export const shapes = {
  /** Providers may add parameters. */
  query: z.object({
    SAMLRequest: message.describe('A message of SAML 2.0.'),
    SAMLResponse: message.describe('A message of SAML 2.0.'),
    RelayState: message.describe('The value that the provider returns.'),
    SigAlg: message.describe('How the message is signed.'),
    Signature: message.describe('The signature of the message.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(sso.logout, shapes, ({ query, ctx }) =>
  inBrowser(ctx, async (attempt) => {
    const { SAMLRequest, SAMLResponse, ...signed } = query
    const kind = SAMLRequest === undefined ? 'SAMLResponse' : 'SAMLRequest'
    const value = SAMLRequest ?? SAMLResponse
    if (value === undefined || (SAMLRequest !== undefined && SAMLResponse !== undefined)) {
      throw malformed('The request holds no logout message. Only a SAML identity provider sends browsers here.')
    }
    return takeLogout(ctx, { kind, value, ...signed }, attempt)
  }),
)
