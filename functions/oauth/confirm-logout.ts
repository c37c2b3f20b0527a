import * as z from 'zod'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.record(z.string(), z.string()),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = serve(oauth.confirmLogout)
