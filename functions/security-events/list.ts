import * as z from 'zod'
import {
  listSecurityEvents,
  SECURITY_EVENT_TYPES,
  SecurityEvent,
  SEVERITIES,
} from '../../shared/identity/security-events/security-event.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { listView, ListQuery } from '../../shared/base/wire/pagination.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import { securityEvents } from './routes.ts'

const instant = z.iso.datetime({ offset: true }).transform((text) => iso(Date.parse(text)))

export const shapes = {
  query: ListQuery.extend({
    type: z.enum(SECURITY_EVENT_TYPES).optional().describe('Only of this type.'),
    severity: z.enum(SEVERITIES).optional().describe('Only of this severity.'),
    user_id: z.string().optional().describe('Only of this person.'),
    /** `start_at` is inclusive, `end_at` exclusive. */
    start_at: instant
      .optional()
      .describe('From this time on, ISO 8601.')
      .meta({ examples: ['2026-10-01T00:00:00.000Z'] }),
    end_at: instant
      .optional()
      .describe('Up to this time, ISO 8601.')
      .meta({ examples: ['2026-11-01T00:00:00.000Z'] }),
  }),
  response: listView(SecurityEvent.omit({ tenant_id: true })),
}

export const handler = endpoint(securityEvents.list, shapes, ({ query, ctx }) =>
  listSecurityEvents(ctx, securityEvents.list.id, query),
)
