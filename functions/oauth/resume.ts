import * as z from 'zod'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = { reply: z.string().meta({ contentMediaType: 'text/html' }) }

export const handler = serve(oauth.resume)
