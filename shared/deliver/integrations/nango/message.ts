// What Nango sends, as far as it is read here. Kinds that are not named are dropped.
import * as z from 'zod'
import { freeForm } from '../../../base/wire/fields.ts'

/** Names of lists stand in keys of the table. */
export const MODEL = /^[A-Za-z0-9_-]{1,64}$/

const NOTHING = { added: 0, updated: 0, deleted: 0 }
const count = z.int().min(0).default(0)
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
  z.object({
    type: z.literal('sync'),
    ...connection,
    syncName: z.string().regex(MODEL),
    model: z.string().regex(MODEL),
    syncType: z.string().max(64).optional(),
    success: z.boolean(),
    responseResults: z.object({ added: count, updated: count, deleted: count }).default(NOTHING),
    checkpoints: z.object({ from: z.unknown() }).nullish(),
    error: z.object({ type: z.string().max(128) }).optional(),
  }),
])
export type NangoMessage = z.output<typeof NangoMessage>
