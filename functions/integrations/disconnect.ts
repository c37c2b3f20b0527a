import * as z from 'zod'
import { optional, plainText } from '../../shared/base/wire/fields.ts'
import { disconnect } from '../../shared/deliver/integrations/disconnect.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  body: z.strictObject({ reason: optional(plainText(500)).describe('The reason, for people.') }),
  response: z.object({
    status: z.literal('disconnected').describe('The current state.'),
    revoked_at_provider: z.boolean().describe('Whether the access was revoked at the provider, too.'),
  }),
}

export const handler = endpoint(integrations.disconnect, shapes, async ({ params, body, ctx }) => {
  const { revoked } = await disconnect(ctx, params.id, body.reason)
  return { status: 'disconnected' as const, revoked_at_provider: revoked }
})
