import * as z from 'zod'
import { CATALOG, EVENT_TYPES } from '../../shared/base/catalog/event-types.ts'
import { EVENT_SCHEMAS } from '../../shared/ledger/events/schemas.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  response: z.object({
    items: z.array(
      z.object({
        type: z.string(),
        category: z.string(),
        description: z.string(),
        extension: z.boolean(),
        schema: z.unknown(),
        example: z.unknown(),
      }),
    ),
  }),
}

/** JSON Schema 2020-12 of the `data` of one type, without the line that says so. */
function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema)
  return rest
}

export const handler = endpoint(webhooks.eventTypes, shapes, async () => ({
  items: EVENT_TYPES.map((type) => {
    const { schema, example } = EVENT_SCHEMAS[type]
    return { type, ...CATALOG[type], schema: jsonSchema(schema), example }
  }),
}))
