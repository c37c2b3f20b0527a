import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  query: z.looseObject({
    user_code: z
      .string()
      .optional()
      .describe('The code that the device shows. The page fills it in; the person still sends it.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = oauthEndpoint(oauth.device, serve())
