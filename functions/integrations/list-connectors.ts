import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { ConnectorView } from '../../shared/deliver/integrations/connector.ts'
import { listConnectors } from '../../shared/deliver/integrations/list-connectors.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(ConnectorView) }

export const handler = endpoint(integrations.listConnectors, shapes, async ({ query, ctx }) =>
  pageOf(ctx, integrations.listConnectors.id, query, await listConnectors(ctx), ({ id }) => id),
)
