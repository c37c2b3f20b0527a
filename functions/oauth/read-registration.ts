import * as z from 'zod'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'application/json' }) }

export const handler = serve(oauth.readRegistration)
