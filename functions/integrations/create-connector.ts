import { httpResponse } from '../../shared/base/wire/call.ts'
import { ImportedView, readConnector } from '../../shared/deliver/integrations/connector-view.ts'
import { ConnectorInput, createConnector } from '../../shared/deliver/integrations/create-connector.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { body: ConnectorInput, response: ImportedView }

export const handler = endpoint(integrations.createConnector, shapes, async ({ body, ctx }) => {
  const { id, report } = await createConnector(ctx, body)
  return httpResponse(
    201,
    { ...(await readConnector(ctx, id)), report },
    { Location: `/api/v1/integration-fabric/connectors/${id}` },
  )
})
