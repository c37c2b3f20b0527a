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
    status: z.enum(DELIVERY_STATUSES).optional(),
    type: z.enum(EVENT_TYPES).optional(),
    event_id: z.string().optional(),
    recover_id: z.string().optional(),
    start_at: instant.optional(),
    end_at: instant.optional(),
  }),
  response: listView(DeliveryView),
}

/** Newest first; also of an endpoint that was deleted, as long as the log keeps them. */
export const handler = endpoint(webhooks.deliveries, shapes, async ({ params, query, ctx }) => {
  const list = await deliveriesTo(ctx, params.id, query)
  const page = await paginate(ctx, `${webhooks.deliveries.id}/${params.id}`, query, list)
  return { ...page, items: page.items.map(shownAt(ctx.now())) }
})
