// What follows from counted usage: an event for each threshold once a period, and the quota that answers to the tenant show. Plans
// that are paid for are never refused.
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { quotasOf } from '../../base/limits/plans.ts'
import { entity, key } from '../../base/table/entity.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { type Tenant, tenants } from '../../base/tenant/tenant.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { billingPartition } from '../billing/customer.ts'
import { type Period, periodOf } from './period.ts'
import { METERED, THRESHOLDS, usedIn, usedOf } from './read-usage.ts'

/** From here on, answers show what is left. */
const SHOWN_FROM_PERCENT = 80
/** Requests of the free plan wait for the next period from here on. */
const BLOCKED_FROM_PERCENT = 120

const Threshold = z.object({ tenant_id: z.string(), period_start: z.string(), meter: z.string(), percent: z.int() })

const thresholds = entity({
  name: 'THRESHOLD',
  unbound: 'bounded',
  schema: Threshold,
  key: ({ tenant_id, period_start, meter, percent }: z.output<typeof Threshold>) => ({
    pk: billingPartition(tenant_id),
    sk: key('THR', period_start, meter, String(percent)),
  }),
})

type Reached = { meter: (typeof METERED)[number]; percent: number; used: number; limit: number }

export async function noteUsage(ctx: Context): Promise<void> {
  const [tenant, period] = await Promise.all([freshTenant(ctx.table, ctx.space.tenant_id), periodOf(ctx)])
  const quotas = quotasOf(tenant)
  const used = usedOf((await usedIn(ctx, period)).total)
  const reached = METERED.flatMap((meter) => {
    const limit = quotas[meter]
    if (limit === null) return []
    const passed = THRESHOLDS.filter((percent) => used[meter] * 100 >= percent * limit)
    return passed.map((percent): Reached => ({ meter, percent, used: used[meter], limit }))
  })
  for (const one of reached) await reportOnce(ctx, tenant, period, one)
  const left = quotas.executions === null ? undefined : quotas.executions - used.executions
  await setQuota(ctx, tenant, quotaOf(tenant, { period, reached, left }))
}

/** The event of a threshold: once for each meter, percentage and period. */
async function reportOnce(ctx: Context, { id, plan }: Tenant, { start, end }: Period, of: Reached): Promise<void> {
  const { meter, percent, used, limit } = of
  const item = { tenant_id: id, period_start: iso(start), meter, percent }
  if (await ctx.table.get(thresholds, item)) return
  const subject = { type: 'tenant', id }
  const artifact = newArtifact(ctx, {
    type: 'billing.usage.threshold',
    subject,
    data: { meter, percent, plan_id: plan },
  })
  const event = {
    type: 'usage.threshold.reached' as const,
    subject: { id: `${id}.${meter}.${percent}.${iso(start).slice(0, 10)}`, version: 1 },
    data: {
      meter,
      threshold_percent: percent,
      used,
      limit,
      period_start: iso(start),
      period_end: iso(end),
      plan_id: plan,
    },
  }
  const writes = [thresholds.insert(item), ...commitWith(ctx, [{ artifact, events: [event] }])]
  // Unless another pass has reported it.
  await unlessChangedMeanwhile(ctx.table.commit(writes))
}

type Counted = { period: Period; reached: readonly Reached[]; left: number | undefined }

function quotaOf({ plan }: Tenant, { period, reached, left }: Counted): Tenant['quota'] {
  const at = (percent: number) => reached.some((one) => one.percent >= percent)
  if (!at(SHOWN_FROM_PERCENT)) return undefined
  const isBlocked = plan === 'free' && at(BLOCKED_FROM_PERCENT)
  return {
    until: iso(period.end),
    ...(left !== undefined && { executions_left: Math.max(0, left) }),
    ...(isBlocked && { blocked: true as const }),
  }
}

/** It follows from the counts, so nothing is lost when another process overwrites it: the next pass sets it again. */
async function setQuota(ctx: Context, { id, quota: was }: Tenant, quota: Tenant['quota']): Promise<void> {
  if (JSON.stringify(was) === JSON.stringify(quota)) return
  await ctx.table.update(tenants.key({ id }), quota ? { set: { quota } } : { remove: ['quota'] })
  forgetTenant(id)
}
