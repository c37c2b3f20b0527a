import * as z from 'zod'
import { interactionPages } from '../../shared/identity/oauth/interaction.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/html' }) }

export const handler = serve(oauth.interaction, { pages: interactionPages })
