import * as z from 'zod'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = { body: z.looseObject({ token: z.string() }), response: z.undefined() }

export const handler = serve(oauth.revoke)
