import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ token: z.string().describe('The token to end.') }),
  response: z.undefined(),
}

export const handler = oauthEndpoint(oauth.revoke, serve())
