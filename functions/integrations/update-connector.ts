import { ImportedView, readConnector } from '../../shared/deliver/integrations/connector-view.ts'
import { ConnectorChange, updateConnector } from '../../shared/deliver/integrations/update-connector.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { body: ConnectorChange, response: ImportedView }

export const handler = endpoint(integrations.updateConnector, shapes, async ({ params, body, ctx }) => {
  const report = await updateConnector(ctx, params.id, body)
  return { ...(await readConnector(ctx, params.id)), ...(report && { report }) }
})
