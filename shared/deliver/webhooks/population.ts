import type { Population, Row } from '../../assure/populations/population.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import { deliveries, deliveriesOf, type Delivery } from './delivery.ts'
import { endpoints, endpointsKey } from './endpoints/endpoint.ts'

const MOST = 5_000

export const failedDeliveries: Population = {
  name: 'deliveries_failed',
  columns: [
    'id',
    'created_at',
    'endpoint_id',
    'event_id',
    'event_type',
    'failure_reason',
    'attempts',
    'last_status_code',
    'last_error_class',
    'completed_at',
    'replayed_as',
  ],
  source: 'webhook deliveries, which are kept for 30 days, by endpoint',
  filter: 'created in the window and given up, to endpoints that are still there',
  rows: async function* (ctx, { start_at, end_at }) {
    const all = await wholeRange(ctx.table, endpoints, { pk: endpointsKey(ctx.space) }, MOST)
    const pages = pagesOf(ctx, {
      of: deliveries,
      index: 'gsi1',
      descending: false,
      from: start_at,
      to: end_at,
      groups: all.map(({ id }) => ({ name: id, partitions: [deliveriesOf(ctx.space, id)] })),
      filter: ({ status }) => status === 'failed',
    })
    for await (const page of pages) yield page.map(rowOf)
  },
}

const rowOf = (delivery: Delivery): Row => ({
  id: delivery.id,
  created_at: delivery.created_at,
  endpoint_id: delivery.endpoint_id,
  event_id: delivery.event_id,
  event_type: delivery.event_type,
  failure_reason: delivery.failure_reason,
  attempts: delivery.attempt + 1,
  last_status_code: delivery.last?.status_code,
  last_error_class: delivery.last?.error_class,
  completed_at: delivery.completed_at,
  replayed_as: delivery.replayed_as,
})
