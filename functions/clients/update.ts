import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { Address, Addresses, Name, Scopes } from '../../shared/identity/oauth/client-fields.ts'
import { ClientView, clientView } from '../../shared/identity/oauth/client-view.ts'
import { changeOAuthClient } from '../../shared/people/credentials/end-applications.ts'
import { clients } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    name: optional(Name),
    redirect_uris: optional(Addresses),
    post_logout_redirect_uris: optional(Addresses),
    /** `null` removes it. */
    backchannel_logout_uri: Address.nullable().optional(),
    backchannel_logout_session_required: optional(z.boolean()),
    scopes: optional(Scopes),
    skip_consent: optional(z.boolean()),
    service: optional(z.boolean()),
    status: optional(z.enum(['active', 'disabled'])),
    version: optional(z.int()),
  }),
  response: ClientView,
  versioned: true,
}

export const handler = endpoint(clients.update, shapes, async ({ params, body, version, ctx }) => {
  const client = await changeOAuthClient(ctx, params.client_id, { ...body, version })
  return tagged(clientView(client, ctx.now()), client._v)
})
