import { endpoint } from '../../shared/edge/endpoint.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { listPiiEvents, PiiEventView, PiiFilters } from '../../shared/operate/metrics/list-pii-events.ts'
import { metrics } from './routes.ts'

export const shapes = { query: ListQuery.extend(PiiFilters.shape), response: listView(PiiEventView) }

export const handler = endpoint(metrics.piiEvents, shapes, ({ query, ctx }) =>
  listPiiEvents(ctx, metrics.piiEvents.id, query),
)
