// What Nango sends, as far as it is read here. Kinds that are not named are dropped.
import * as z from 'zod'
import { freeForm } from '../../../base/wire/fields.ts'

const connection = { connectionId: z.string().min(1).max(256), providerConfigKey: z.string().max(64) }

export const NangoMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('auth'),
    ...connection,
    operation: z.enum(['creation', 'override', 'refresh']),
    success: z.boolean(),
    tags: z.object({ state_hash: z.string().max(64).optional() }).optional(),
    error: z.object({ type: z.string().max(128) }).optional(),
  }),
  z.object({ type: z.literal('forward'), ...connection, payload: freeForm }),
])
export type NangoMessage = z.output<typeof NangoMessage>
