import * as z from 'zod'
import { connectedPage } from '../../shared/deliver/integrations/connected-page.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

const text = z.string().max(4_096).optional()

export const shapes = {
  query: z.object({ code: text, state: text, iss: text, error: text }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(integrations.connectedPage, shapes, async ({ query }) => connectedPage(query))
