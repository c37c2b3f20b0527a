import * as z from 'zod'
import { EVENT_TYPES } from '../../shared/base/catalog/event-types.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { listView, ListQuery, paginate } from '../../shared/base/wire/pagination.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import { deliveriesTo, shownAt } from '../../shared/deliver/webhooks/delivery-log.ts'
import { DELIVERY_STATUSES, DeliveryView } from '../../shared/deliver/webhooks/delivery.ts'
import { webhooks } from './routes.ts'

const instant = z.iso.datetime({ offset: true }).transform((text) => iso(Date.parse(text)))

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(DELIVERY_STATUSES).optional().describe('Only those in this state.'),
    type: z.enum(EVENT_TYPES).optional().describe('Only deliveries of this event type.'),
    event_id: z.string().optional().describe('Only deliveries of this event.'),
    recover_id: z.string().optional().describe('Only deliveries of this recovery.'),
    start_at: instant
      .optional()
      .describe('From this time on, ISO 8601.')
      .meta({ examples: ['2026-10-01T00:00:00.000Z'] }),
    end_at: instant
      .optional()
      .describe('Up to this time, ISO 8601.')
      .meta({ examples: ['2026-11-01T00:00:00.000Z'] }),
  }),
  response: listView(DeliveryView),
}

/** Newest first; also of an endpoint that was deleted, as long as the log keeps them. */
export const handler = endpoint(webhooks.deliveries, shapes, async ({ params, query, ctx }) => {
  const list = await deliveriesTo(ctx, params.id, query)
  const page = await paginate(ctx, `${webhooks.deliveries.id}/${params.id}`, query, list)
  return { ...page, items: page.items.map(shownAt(ctx.now())) }
})
