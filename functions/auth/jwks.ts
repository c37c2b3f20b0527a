import * as z from 'zod'
import { publishedKeys } from '../../shared/identity/oauth/published-keys.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { auth } from './routes.ts'

export const shapes = {
  response: z.object({
    keys: z
      .array(
        z.object({
          kty: z.string().describe('Family of the key (RFC 7517).'),
          n: z.string().describe('Modulus of an RSA key, base64url (RFC 7518).'),
          e: z.string().describe('Exponent of an RSA key, base64url (RFC 7518).'),
          kid: z.string().describe('Id of the key.'),
          use: z.string().describe('What the key is for (RFC 7517).'),
          alg: z.string().describe('Algorithm of the key (RFC 7517).'),
        }),
      )
      .describe('The public keys (RFC 7517).'),
  }),
}

export const handler = endpoint(auth.jwks, shapes, async () =>
  httpResponse(200, { keys: await publishedKeys() }, { 'Cache-Control': 'public, max-age=3600' }),
)
