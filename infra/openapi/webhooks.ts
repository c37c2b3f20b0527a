// The `webhooks` section of the document: the delivery of each event type, from the catalogue and the payload schemas.
import * as z from 'zod'
import { API_VERSION, CATALOG, EVENT_TYPES, type EventType } from '../../shared/base/catalog/event-types.ts'
import { EVENT_SCHEMAS } from '../../shared/ledger/events/schemas.ts'
import type { JsonSchema } from './json-schema.ts'
import { pascal, type Schemas } from './schemas.ts'

/** The members of every event (`shared/deliver/webhooks/README.md`). */
export const EventEnvelope = z.object({
  id: z.string().describe('The id of the event, the same in every delivery. Use it to drop repeats.'),
  type: z.string().describe('The type of the event.'),
  timestamp: z.iso.datetime().describe('When it happened.'),
  tenant_id: z.string().describe('Id of the tenant.'),
  version: z.string().describe('The API version of the event.'),
  signature: z.string().describe('`t=<unix seconds>,v1=<hex>`, as in `X-Webhook-Signature`.'),
})

/** The shape of `data` for each type, by name. */
export const EVENT_DATA: Record<string, z.ZodType> = Object.fromEntries(
  EVENT_TYPES.map((type) => [`${pascal(type)}Data`, EVENT_SCHEMAS[type].schema]),
)

export const describeWebhooks = (schemas: Schemas): Record<string, JsonSchema> =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: delivery(type, schemas) }]))

const delivery = (type: EventType, schemas: Schemas): JsonSchema => ({
  operationId: `event-${type.replaceAll(/[._]/g, '-')}`,
  tags: ['events'],
  summary: type,
  description: CATALOG[type].description,
  security: [],
  parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  requestBody: {
    required: true,
    content: { 'application/json': { schema: bodyOf(type, schemas), example: exampleOf(type) } },
  },
  responses: ANSWERS,
  'x-event-category': CATALOG[type].category,
})

/** The API specification gives `protocol.executed` two shapes; its body satisfies both. */
const alsoNamed = (type: EventType) => type === 'protocol.executed'

const bodyOf = (type: EventType, { output }: Schemas): JsonSchema => ({
  allOf: [output(EventEnvelope)],
  type: 'object',
  properties: {
    type: { const: type },
    data: output(EVENT_SCHEMAS[type].schema),
    ...(alsoNamed(type) && { event: { const: type } }),
  },
  required: ['data'],
})

const exampleOf = (type: EventType) => ({
  id: 'evt_01JD3Q8Z5N6J8M0P2R4T6V8X0Z',
  type,
  timestamp: '2026-11-20T22:37:00.123Z',
  tenant_id: 'ten_01JD3Q8Z5N7K9N1Q3S5V7X9Z1B',
  version: API_VERSION,
  signature: 't=1795300620,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  data: EVENT_SCHEMAS[type].example,
  ...(alsoNamed(type) && { event: type }),
})

const header = (name: string, description: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
})

/** `components.parameters` of deliveries, by reference name. */
export const HEADERS: Record<string, JsonSchema> = {
  WebhookSignature: header(
    'X-Webhook-Signature',
    '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body without its last member "signature">`, once for each valid secret.',
  ),
  ServiceSignature: header('X-Service-Signature', '`sha256=<hex>`: HMAC-SHA256 over the raw body.'),
  PreviousSignature: header(
    'X-Service-Signature-Previous',
    'While a rotation overlaps: the same under each former secret, separated by commas.',
    false,
  ),
  StandardId: header('webhook-id', 'The id of the event (Standard Webhooks 1.0).'),
  StandardTimestamp: header('webhook-timestamp', 'Unix seconds of this attempt (Standard Webhooks 1.0).'),
  StandardSignature: header('webhook-signature', '`v1,<base64>` for each valid secret (Standard Webhooks 1.0).'),
  DeliveryEvent: header('X-Webhook-Event', 'The event type.'),
  DeliveryId: header('X-Webhook-Delivery', 'The id of the delivery, as in the delivery log.'),
  DeliveryAttempt: header('X-Webhook-Attempt', '0, then 1 to 7 for the retries.'),
}

const ANSWERS = {
  '2XX': { description: 'Received. Answer within 5 seconds and do the work later.' },
  410: { description: 'Gone: the endpoint is disabled.' },
  default: { description: 'Not received: tried again up to 7 times, 60 to 780 seconds apart.' },
}
