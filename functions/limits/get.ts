import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tenantUsage } from '../../shared/edge/limit-rate.ts'
import { addressFigures, PLANS, streamsOf, UNLIMITED } from '../../shared/base/limits/plans.ts'
import type { Usage } from '../../shared/base/limits/window.ts'
import { tenantOf } from '../../shared/base/tenant/find.ts'
import { MODES } from '../../shared/base/table/members.ts'
import { limits } from './routes.ts'

/** null means no limit. `reset` is a Unix second. */
const Window = z.object({
  limit: z.int().nullable().describe('The number of requests that the window allows. Null: no limit.'),
  used: z.int().describe('The number used.'),
  remaining: z.int().nullable().describe('How many are left. Null: no limit.'),
  reset: z.int().describe('When the window ends (Unix seconds).'),
})

const Category = z.object({
  category: z.enum(['global', 'ai', 'auth']).describe('The category of the item.'),
  counted_per: z
    .enum(['tenant', 'address'])
    .describe('Which requests share the windows: those of a tenant or of an address.'),
  per_minute: z.int().describe('Requests per minute.'),
  per_second: z.int().describe('Requests per second.'),
})

export const shapes = {
  response: z.object({
    plan: z.enum(PLANS).describe('The plan of the tenant.'),
    mode: z.enum(MODES).describe('The mode that the limits are of.'),
    windows: z
      .object({
        second: Window.describe('The window of a second.'),
        minute: Window.describe('The window of a minute.'),
        day: Window.describe('The window of a day.'),
      })
      .describe('The windows of the tenant.'),
    categories: z.array(Category).describe('The limits, by category of operation.'),
    streams: z
      .object({ limit: z.int().describe('The number of streams that may be open at once.') })
      .describe('Event streams.'),
  }),
}

/** The windows of the caller's tenant and mode, and which routes are counted in which window. */
export const handler = endpoint(limits.get, shapes, async ({ ctx }) => {
  const tenant = await tenantOf(ctx.table, ctx.space.tenant_id)
  const { second, minute, day } = await tenantUsage(ctx.table, ctx.space, tenant)
  const ofTenant = { counted_per: 'tenant', per_minute: minute.limit, per_second: second.limit } as const
  const { perMinute, perSecond } = addressFigures()
  const categories: z.input<typeof Category>[] = [
    { category: 'global', ...ofTenant },
    { category: 'ai', ...ofTenant },
    { category: 'auth', counted_per: 'address', per_minute: perMinute, per_second: perSecond },
  ]
  return {
    plan: tenant.plan,
    mode: ctx.space.mode,
    windows: { second: windowView(second), minute: windowView(minute), day: windowView(day) },
    categories,
    streams: { limit: streamsOf(tenant) },
  }
})

const orNull = (figure: number) => (figure === UNLIMITED ? null : figure)

const windowView = ({ limit, remaining, ...rest }: Usage) => ({
  ...rest,
  limit: orNull(limit),
  remaining: orNull(remaining),
})
