// Shape and example of each event type. Loads every payload's schema: product code imports its types only; values are for
// the event-types answer, OpenAPI, test deliveries and tests.
import type * as z from 'zod'
import type { EventType } from '../../base/catalog/event-types.ts'
import { agent } from './payloads/agent.ts'
import { billing } from './payloads/billing.ts'
import { compliance } from './payloads/compliance.ts'
import { evidence } from './payloads/evidence.ts'
import { governance } from './payloads/governance.ts'
import { integration } from './payloads/integration.ts'
import { protocol } from './payloads/protocol.ts'
import { service } from './payloads/service.ts'
import { user } from './payloads/user.ts'

export const EVENT_SCHEMAS = {
  ...governance,
  ...agent,
  ...evidence,
  ...compliance,
  ...user,
  ...integration,
  ...billing,
  ...protocol,
  ...service,
} satisfies Record<EventType, { schema: z.ZodType; example: object }>

/** The `data` of an event of type T. */
export type EventData<T extends EventType> = z.infer<(typeof EVENT_SCHEMAS)[T]['schema']>
