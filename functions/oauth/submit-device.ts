import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ user_code: z.string() }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = oauthEndpoint(oauth.submitDevice, serve())
