// Shape and example of each event type. Loads every payload's schema: product code imports its types only; values are for
// the event-types answer, OpenAPI, test deliveries and tests.
import type * as z from 'zod'
import type { EventType } from '../../base/catalog/event-types.ts'
import { agent, protocol } from './payloads/protocol.ts'
import { billing, integration, user } from './payloads/account.ts'
import { compliance, evidence } from './payloads/evidence.ts'
import { governance } from './payloads/governance.ts'
import { service } from './payloads/service.ts'

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
