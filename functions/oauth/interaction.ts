import '../first-proof.ts'
import * as z from 'zod'
import { interactionPages } from '../../shared/identity/oauth/interaction.ts'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/html' }) }

export const handler = oauthEndpoint(oauth.interaction, serve({ pages: interactionPages }))
