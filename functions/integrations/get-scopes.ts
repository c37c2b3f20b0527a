import * as z from 'zod'
import { readScopes } from '../../shared/deliver/integrations/read-scopes.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

const scopes = z.array(z.string())

export const shapes = { response: z.object({ required: scopes, optional: scopes, granted: scopes, missing: scopes }) }

export const handler = endpoint(integrations.getScopes, shapes, ({ params, ctx }) => readScopes(ctx, params.id))
