import * as z from 'zod'
import { readScopes } from '../../shared/deliver/integrations/read-scopes.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

const scopes = z.array(z.string())

export const shapes = {
  response: z.object({
    required: scopes.describe('What the connector asks for.'),
    optional: scopes.describe('What it may ask for.'),
    granted: scopes.describe('What the provider has granted.'),
    missing: scopes.describe('Scopes that it needs and does not have.'),
  }),
}

export const handler = endpoint(integrations.getScopes, shapes, ({ params, ctx }) => readScopes(ctx, params.id))
