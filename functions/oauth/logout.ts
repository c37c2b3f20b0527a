import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  query: z.looseObject({
    id_token_hint: z.string().optional(),
    client_id: z.string().optional(),
    post_logout_redirect_uri: z.string().optional(),
    state: z.string().optional(),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = oauthEndpoint(oauth.logout, serve())
