import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({
    redirect_uris: z.array(z.string()).optional().describe('The addresses to which codes may be sent.'),
  }),
  response: z.string().meta({ contentMediaType: 'application/json' }),
}

export const handler = oauthEndpoint(oauth.register, serve())
