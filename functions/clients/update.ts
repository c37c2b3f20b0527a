import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { Address, Addresses, Name, Scopes } from '../../shared/identity/oauth/clients/client-fields.ts'
import { ClientView, clientView } from '../../shared/identity/oauth/clients/client.ts'
import { changeOAuthClient } from '../../shared/people/credentials/end-applications.ts'
import { clients } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    name: optional(Name).describe('A name for people.'),
    redirect_uris: optional(Addresses).describe('The addresses to which codes may be sent.'),
    post_logout_redirect_uris: optional(Addresses).describe(
      'The addresses to which people may be sent after sign-out.',
    ),
    /** `null` removes it. */
    backchannel_logout_uri: Address.nullable()
      .optional()
      .describe(
        'Where the client is told that a person has signed out (OpenID Connect Back-Channel Logout); null: nowhere.',
      ),
    backchannel_logout_session_required: optional(z.boolean()).describe(
      'Whether logout tokens name the session that has ended. ID tokens then name theirs (`sid`).',
    ),
    scopes: optional(Scopes).describe('The scopes of the credential.'),
    skip_consent: optional(z.boolean()).describe(
      'Whether people need not agree. The client can then do no more than its creator.',
    ),
    service: optional(z.boolean()).describe('Whether it belongs to the tenant and stays when its creator leaves.'),
    status: optional(z.enum(['active', 'disabled'])).describe('The current state.'),
    version: optional(z.int()).describe('The version that you want to change. Any other version is answered 409.'),
  }),
  response: ClientView,
  versioned: true,
}

export const handler = endpoint(clients.update, shapes, async ({ params, body, version, ctx }) => {
  const client = await changeOAuthClient(ctx, params.client_id, { ...body, version })
  return tagged(clientView(client, ctx.now()), client._v)
})
