import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({
    user_code: z.string().describe('The code that the device shows and a person types (RFC 8628).'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = oauthEndpoint(oauth.submitDevice, serve())
