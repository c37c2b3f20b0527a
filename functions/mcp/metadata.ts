import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { AGENT_SCOPES, mcpResource } from '../../shared/identity/oauth/resources.ts'
import { mcp } from './routes.ts'

export const shapes = {
  response: z.object({
    resource: z.string().describe('The address of the resource (RFC 9728).'),
    authorization_servers: z.array(z.string()).describe('Issuers whose tokens are accepted (RFC 9728).'),
    scopes_supported: z.array(z.string()).describe('The supported scopes (RFC 9728).'),
    bearer_methods_supported: z.array(z.literal('header')).describe('How a token may be sent (RFC 9728).'),
    resource_name: z.string().describe('The name of the service.'),
  }),
}

export const handler = endpoint(mcp.metadata, shapes, async ({ params }) =>
  httpResponse(
    200,
    {
      resource: mcpResource(params.tenant_id),
      authorization_servers: [env('APP_URL')],
      scopes_supported: AGENT_SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Countersign',
    },
    { 'Cache-Control': 'public, max-age=3600', 'Access-Control-Allow-Origin': '*' },
  ),
)
