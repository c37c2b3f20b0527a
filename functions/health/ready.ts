import * as z from 'zod'
import { Check, database, runProbes, worst } from '../../shared/operate/health/probe.ts'
import { bus, queues, signing as kms, writes } from '../../shared/operate/health/probes.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { health } from './routes.ts'

const BareCheck = Check.omit({ detail: true })

export const shapes = {
  response: z.object({
    status: z.enum(['ready', 'not_ready']).describe('The current state.'),
    checks: z
      .object({
        database: BareCheck.describe('The table.'),
        writes: BareCheck.describe('Whether the table accepts writes.'),
        queues: BareCheck.describe('The queues.'),
        bus: BareCheck.describe('The event bus.'),
        kms: BareCheck.describe('The key service.'),
      })
      .describe('The result of each check.'),
  }),
}

/** Ready if every dependency answers and the database accepts writes. */
export const handler = endpoint(health.ready, shapes, async () => {
  const checks = await runProbes('ready', { database, writes, queues, bus, kms })
  const failed = worst(checks) === 'failed'
  return httpResponse(failed ? 503 : 200, { status: failed ? 'not_ready' : 'ready', checks })
})
