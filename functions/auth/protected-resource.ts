import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { API_SCOPES } from '../../shared/identity/oauth/scopes.ts'
import { auth } from './routes.ts'

export const shapes = {
  response: z.object({
    resource: z.string().describe('The resource that the tokens are for (RFC 9728).'),
    authorization_servers: z.array(z.string()).describe('Issuers whose tokens are accepted (RFC 9728).'),
    scopes_supported: z.array(z.string()).describe('The supported scopes (RFC 9728).'),
    bearer_methods_supported: z.array(z.literal('header')).describe('How a token may be sent (RFC 9728).'),
  }),
}

export const handler = endpoint(auth.protectedResource, shapes, async () =>
  httpResponse(
    200,
    {
      resource: env('BASE_URL'),
      authorization_servers: [env('APP_URL')],
      scopes_supported: [...API_SCOPES],
      bearer_methods_supported: ['header'],
    },
    { 'Cache-Control': 'public, max-age=3600' },
  ),
)
