import * as z from 'zod'
import { serve } from '../../shared/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ grant_type: z.enum(['authorization_code', 'client_credentials', 'refresh_token']) }),
  reply: z.string().meta({ contentMediaType: 'application/json' }),
}

export const handler = serve(oauth.token)
