import * as z from 'zod'
import { Inventory, inventory } from '../../shared/assure/claims/inventory.ts'
import { Runtime, runtime } from '../../shared/assure/claims/runtime.ts'
import { API_VERSION } from '../../shared/base/catalog/event-types.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import { CATALOGUE_IDS } from '../../shared/deliver/integrations/catalogue/ids.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { CAPABILITIES } from '../../shared/learn/trainers/trainer.ts'
import { Benchmarks, publishedFigures } from '../../shared/operate/metrics/benchmarks.ts'
import { routes } from '../api.ts'
import { claims } from './routes.ts'

export const shapes = {
  response: z.object({
    generated_at: z.string().describe('When it was generated.'),
    service_version: z.string().describe('Version of the service, a date.'),
    benchmarks: Benchmarks.describe(
      'What was measured over all tenants in live mode. A figure without samples is null.',
    ),
    runtime: Runtime.describe('What the service runs on.'),
    inventory: Inventory.describe('What the service has, counted from its own lists.'),
  }),
}

/** Nothing in it is a tenant's. The figures are read again after five minutes. */
export const handler = endpoint(claims.snapshot, shapes, async ({ ctx }) => {
  const { at, benchmarks, nodes_registered } = await publishedFigures(ctx.table)
  return {
    generated_at: iso(at),
    service_version: API_VERSION,
    benchmarks,
    runtime: runtime(),
    inventory: inventory({
      endpoints: routes.length,
      nodes_registered,
      connectors: CATALOGUE_IDS.length,
      trainers: Object.keys(CAPABILITIES).length,
    }),
  }
})
