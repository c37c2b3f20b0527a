import * as z from 'zod'
import { CATALOG, EVENT_TYPES } from '../../shared/base/catalog/event-types.ts'
import { EVENT_SCHEMAS } from '../../shared/ledger/events/schemas.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { webhooks } from './routes.ts'

export const shapes = {
  response: z.object({
    items: z
      .array(
        z.object({
          type: z.string().describe('The type of the event.'),
          category: z.string().describe('The category of the item.'),
          description: z.string().describe('A description for people.'),
          extension: z.boolean().describe('Whether the event type is an addition to the published list.'),
          schema: z.unknown().describe('JSON Schema of the event.'),
          example: z.unknown().describe('An example of the event.'),
        }),
      )
      .describe('The items of this page.'),
  }),
}

/**
 * JSON Schema 2020-12 of the `data` of one type, without the line that says so. Without descriptions, because only sources have
 * them: bundles do not.
 */
function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    override: ({ jsonSchema: part }) => delete part.description,
  })
  return rest
}

export const handler = endpoint(webhooks.eventTypes, shapes, async () => ({
  items: EVENT_TYPES.map((type) => {
    const { schema, example } = EVENT_SCHEMAS[type]
    return { type, ...CATALOG[type], schema: jsonSchema(schema), example }
  }),
}))
