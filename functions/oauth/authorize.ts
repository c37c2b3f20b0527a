import * as z from 'zod'
import { serve } from '../../shared/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  query: z.looseObject({
    client_id: z.string(),
    response_type: z.literal('code'),
    redirect_uri: z.string(),
    scope: z.string(),
  }),
  reply: z.string().meta({ contentMediaType: 'text/html' }),
}

/** Redirects: to a page of ours, or back to the client with a code or an error. */
export const handler = serve(oauth.authorize)
