// What checks of compliance read of connections and webhook endpoints.
import type { ConnectionFact, EndpointFact, FactAsk, FactSources } from '../base/ports/check-facts.ts'
import { connections as connectionItems, connectionsPartition } from './integrations/connection.ts'
import { allConnectors } from './integrations/known-connector.ts'
import type { Context } from '../base/context.ts'
import { iso } from '../base/lib/clock.ts'
import { inParallel } from '../base/lib/in-parallel.ts'
import { wholeRange } from '../base/table/whole.ts'
import { deliveries, deliveriesOf, deliveryEnd } from './webhooks/delivery.ts'
import { endpoints as endpointItems, endpointsKey } from './webhooks/endpoints/endpoint.ts'

/** The connections that were ever made. */
async function connections({ ctx }: FactAsk): Promise<ConnectionFact[]> {
  const [all, connectors] = await Promise.all([
    ctx.table.query(connectionItems, { pk: connectionsPartition(ctx.space) }),
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

const MOST = 5_000
const AT_ONCE = 16

async function endpoints({ ctx }: FactAsk): Promise<EndpointFact[]> {
  const all = await wholeRange(ctx.table, endpointItems, { pk: endpointsKey(ctx.space) }, MOST)
  return inParallel(AT_ONCE, all, async ({ id, status, url, secrets, consecutive_failed }) => ({
    id,
    status,
    url,
    secret_created_at: secrets[0]?.created_at ?? '',
    failing: consecutive_failed > 0,
    oldest_delivery: await oldestOf(ctx, id),
  }))
}

async function oldestOf({ table, space }: Context, endpointId: string): Promise<EndpointFact['oldest_delivery']> {
  const [oldest] = await table.query(deliveries, { pk: deliveriesOf(space, endpointId), index: 'gsi1', limit: 1 })
  return oldest && { id: oldest.id, until: iso(deliveryEnd(oldest.created_at) * 1_000) }
}

export const deliverFacts = { connections, endpoints } satisfies Partial<FactSources>
