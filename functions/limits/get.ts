import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tenantUsage } from '../../shared/edge/limit-rate.ts'
import { UNLIMITED, PLANS } from '../../shared/base/limits/plans.ts'
import { addressFigures, streamsOf } from '../../shared/base/limits/rates.ts'
import type { Usage } from '../../shared/base/limits/usage.ts'
import { tenantOf } from '../../shared/base/tenant/find.ts'
import { MODES } from '../../shared/base/table/members.ts'
import { limits } from './routes.ts'

/** null means no limit. `reset` is a Unix second. */
const Window = z.object({
  limit: z.int().nullable(),
  used: z.int(),
  remaining: z.int().nullable(),
  reset: z.int(),
})

const Category = z.object({
  category: z.enum(['global', 'ai', 'auth']),
  counted_per: z.enum(['tenant', 'address']),
  per_minute: z.int(),
  per_second: z.int(),
})

export const shapes = {
  response: z.object({
    plan: z.enum(PLANS),
    mode: z.enum(MODES),
    windows: z.object({ second: Window, minute: Window, day: Window }),
    categories: z.array(Category),
    streams: z.object({ limit: z.int() }),
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
