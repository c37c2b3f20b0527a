import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ client_id: z.string().describe('Id of the OAuth client.') }),
  response: z.string().meta({ contentMediaType: 'application/json' }),
}

export const handler = oauthEndpoint(oauth.updateRegistration, serve())
