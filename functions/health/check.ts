import * as z from 'zod'
import { currentRuntime } from '../../shared/base/context.ts'
import { cache, Check, database, runProbes, system, worst } from '../../shared/operate/health/probe.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import { health } from './routes.ts'

const BareCheck = Check.omit({ detail: true })

export const shapes = {
  response: z.object({
    status: z.enum(['healthy', 'degraded', 'unhealthy']).describe('The current state.'),
    timestamp: z.string().describe('When it happened.'),
    checks: z
      .object({
        database: BareCheck.describe('The table.'),
        cache: BareCheck.describe('What the container keeps in memory.'),
        system: BareCheck.describe('The container.'),
      })
      .describe('The result of each check.'),
  }),
}

/** Unhealthy only if the database does not answer, because nothing works without it. */
export const handler = endpoint(health.check, shapes, async () => {
  const checks = await runProbes('check', { database, cache, system })
  const down = checks.database?.status === 'failed'
  const status = down ? 'unhealthy' : worst(checks) === 'ok' ? 'healthy' : 'degraded'
  return httpResponse(down ? 503 : 200, { status, timestamp: iso(currentRuntime().clock.now()), checks })
})
