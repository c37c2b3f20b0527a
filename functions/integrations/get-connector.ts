import { ConnectorView, readConnector } from '../../shared/deliver/integrations/connector-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { response: ConnectorView }

export const handler = endpoint(integrations.getConnector, shapes, ({ params, ctx }) => readConnector(ctx, params.id))
