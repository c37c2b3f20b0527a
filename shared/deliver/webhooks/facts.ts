import type { EndpointFact, FactAsk } from '../../base/ports/facts.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { deliveries, deliveriesOf, deliveryEnd } from './delivery.ts'
import { endpoints as items, endpointsKey } from './endpoints/endpoint.ts'

const MOST = 5_000
const AT_ONCE = 16

export async function endpoints({ ctx }: FactAsk): Promise<EndpointFact[]> {
  const all = await wholeRange(ctx.table, items, { pk: endpointsKey(ctx.space) }, MOST)
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
