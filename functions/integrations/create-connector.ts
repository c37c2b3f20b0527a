import { httpResponse } from '../../shared/base/wire/call.ts'
import { ConnectorView, connectorView } from '../../shared/deliver/integrations/connector.ts'
import { ConnectorInput, createConnector } from '../../shared/deliver/integrations/create-connector.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { body: ConnectorInput, response: ConnectorView }

export const handler = endpoint(integrations.createConnector, shapes, async ({ body, ctx }) => {
  const created = connectorView(await createConnector(ctx, body), undefined)
  return httpResponse(201, created, { Location: `/api/v1/integration-fabric/connectors/${created.id}` })
})
