import type { ConnectionFact, FactAsk } from '../../base/ports/facts.ts'
import { connections as items, connectionsPartition } from './connection.ts'
import { allConnectors } from './known-connector.ts'

/** Those that were ever connected. */
export async function connections({ ctx }: FactAsk): Promise<ConnectionFact[]> {
  const [all, connectors] = await Promise.all([
    ctx.table.query(items, { pk: connectionsPartition(ctx.space) }),
    allConnectors(ctx),
  ])
  const byId = new Map(connectors.map((one) => [one.id, one]))
  return all
    .filter(({ connected_at }) => connected_at !== undefined)
    .map(({ id, connector_id, status, sealed, nango_id, scopes_granted }) => {
      const connector = byId.get(connector_id)
      return {
        id,
        active: status === 'active',
        purpose: connector?.purpose,
        data_categories: connector?.data_categories ?? [],
        has_credential: sealed !== undefined && nango_id === undefined,
        granted_scopes: scopes_granted,
        declared_scopes: [...(connector?.scopes_required ?? []), ...(connector?.provider?.scopes_optional ?? [])],
      }
    })
}
