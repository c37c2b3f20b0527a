import { ConnectorView, readConnector } from '../../shared/deliver/integrations/connector-view.ts'
import { ConnectorChange, updateConnector } from '../../shared/deliver/integrations/update-connector.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { body: ConnectorChange, response: ConnectorView }

export const handler = endpoint(integrations.updateConnector, shapes, async ({ params, body, ctx }) => {
  await updateConnector(ctx, params.id, body)
  return readConnector(ctx, params.id)
})
