import * as z from 'zod'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { CONNECTOR_STATUSES } from '../../shared/deliver/integrations/connection.ts'
import { ConnectorView, listConnectors } from '../../shared/deliver/integrations/connector-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(CONNECTOR_STATUSES).optional().describe('Only connectors in this state.'),
    category: z.string().max(64).optional().describe('Only of this category.'),
    q: z.string().max(200).optional().describe('Only connectors with this text in id, name or description.'),
  }),
  response: listView(ConnectorView),
}

export const handler = endpoint(integrations.listConnectors, shapes, async ({ query, ctx }) =>
  pageOf(ctx, integrations.listConnectors.id, query, await listConnectors(ctx, query), ({ id }) => id),
)
