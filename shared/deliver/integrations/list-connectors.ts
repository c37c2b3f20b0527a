import type { Context } from '../../base/context.ts'
import { connections, connectionsPartition } from './connection.ts'
import { connectors, connectorsPartition, connectorView } from './connector.ts'

/** By their ids. */
export async function listConnectors({ table, space }: Context) {
  const [all, connected] = await Promise.all([
    table.query(connectors, { pk: connectorsPartition(space) }),
    table.query(connections, { pk: connectionsPartition(space) }),
  ])
  const byConnector = new Map(connected.map((one) => [one.connector_id, one]))
  return all.map((connector) => connectorView(connector, byConnector.get(connector.id)))
}
