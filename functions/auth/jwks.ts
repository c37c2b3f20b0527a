import * as z from 'zod'
import { publishedKeys } from '../../shared/identity/oauth/published-keys.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { auth } from './routes.ts'

export const shapes = {
  response: z.object({
    keys: z.array(
      z.object({ kty: z.string(), n: z.string(), e: z.string(), kid: z.string(), use: z.string(), alg: z.string() }),
    ),
  }),
}

export const handler = endpoint(auth.jwks, shapes, async () =>
  httpResponse(200, { keys: await publishedKeys() }, { 'Cache-Control': 'public, max-age=3600' }),
)
