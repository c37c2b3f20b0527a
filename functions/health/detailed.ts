import * as z from 'zod'
import { components } from '../../shared/operate/health/components.ts'
import { Check, memoryPercent, runProbes, worst } from '../../shared/operate/health/probe.ts'
import { webhooksProbe } from '../../shared/deliver/webhooks/webhooks-probe.ts'
import { API_VERSION } from '../../shared/base/catalog/event-types.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { MODES } from '../../shared/base/table/members.ts'
import { warn } from '../../shared/base/lib/log.ts'
import { LastMinutes, lastMinutes } from '../../shared/operate/metrics/last-minutes.ts'
import { health } from './routes.ts'

export const shapes = {
  response: z.object({
    status: z.enum(['healthy', 'degraded', 'unhealthy']).describe('The current state.'),
    version: z.string().describe('Version of the deployment.'),
    region: z.string().describe('The AWS region.'),
    mode: z.enum(MODES).describe('The mode of the credential.'),
    uptime_s: z.int().describe('How long the container has been running, in seconds.'),
    components: z
      .array(Check.extend({ name: z.string().describe('The name of the component.') }))
      .describe('The health of each component, as it affects this tenant.'),
    metrics: z
      .object({ memory_percent: z.int().describe('The percentage of memory in use.'), ...LastMinutes.partial().shape })
      .describe('Measurements of the container.'),
  }),
}

/** The components, with the chain and the webhooks of the caller's tenant. */
export const handler = endpoint(health.detailed, shapes, async ({ ctx }) => {
  const { tenant_id, mode } = ctx.space
  const [checks, minutes] = await Promise.all([
    runProbes(`detailed/${tenant_id}/${mode}`, { ...components(ctx), webhooks: webhooksProbe(ctx) }),
    lastMinutes(ctx).catch((error: unknown) => warn('metrics_unavailable', error)), // the answer says how everything else is
  ])
  const state = worst(checks)
  return httpResponse(state === 'failed' ? 503 : 200, {
    status: state === 'ok' ? 'healthy' : state === 'degraded' ? 'degraded' : 'unhealthy',
    version: API_VERSION,
    region: env('REGION'),
    mode,
    uptime_s: Math.floor(process.uptime()),
    components: Object.entries(checks).map(([name, check]) => ({ name, ...check })),
    metrics: { memory_percent: memoryPercent(), ...minutes },
  })
})
