import * as z from 'zod'
import { connectedPage } from '../../shared/deliver/integrations/connected-page.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

const text = z.string().max(4_096).optional()

export const shapes = {
  query: z.object({
    code: text.describe('The code that the provider hands out.'),
    state: text.describe('Returned unchanged with the answer.'),
    iss: text.describe('The issuer of the answer (RFC 9207).'),
    error: text.describe('Why the provider refused.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(integrations.connectedPage, shapes, async ({ query }) => connectedPage(query))
