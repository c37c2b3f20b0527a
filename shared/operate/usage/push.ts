// Reports to the payment provider what was used beyond a quota, hour by hour, and compares its sums with ours once a day. An hour
// is reported as a whole, so that a further report replaces the one before and never adds to it. The report is stored as pending
// before it is sent and as sent after it: a process that dies in between sends the same revision again.
import { HOUR_MS, iso } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { type Quotas, quotasOf } from '../../base/limits/plans.ts'
import { bound } from '../../base/table/bound.ts'
import { key, type Stored } from '../../base/table/entity.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { allSubscriptions, effectivePlan } from '../billing/subscription.ts'
import { ownCustomer } from '../billing/customer.ts'
import { grantOf } from '../billing/plan-writes.ts'
import { asking } from '../billing/stripe.ts'
import { owedPeriods, type Period } from './period.ts'
import { hourKey, usagePartition, type UsageSums, usageSums } from '../../ledger/usage/usage-item.ts'
import { alarm } from '../../base/lib/log.ts'

/** An hour is reported after all its events were counted. */
export const SETTLED_MS = 300_000

/** The provider takes nothing that is older than 35 days. */
const REPORTED_WITHIN_MS = 34 * 86_400_000

const BILLED = ['executions', 'tokens'] as const
type Billed = (typeof BILLED)[number]
const Values = z.object({ executions: z.int(), tokens: z.int() })
type Values = z.output<typeof Values>

/** `quotas` are those that were in effect when the hour was reported first; later plans do not change the past. */
const Push = z.object({
  tenant_id: z.string(),
  hour: z.string(),
  values: Values,
  quotas: z.object({ executions: z.int().nullable(), tokens: z.int().nullable() }),
  revision: z.int(),
  state: z.enum(['pending', 'sent']),
})
type Push = z.output<typeof Push>

export const live = (tenant_id: string): Space => ({ tenant_id, mode: 'live' })

/** `hour`: `2026-11-23T21` */
const pushKey = (hour: string): string => key('PUSH', hour)

export const pushes = bound({
  name: 'PUSH',
  schema: Push,
  key: (of: { tenant_id: string; hour: string }) => ({ pk: usagePartition(live(of.tenant_id)), sk: pushKey(of.hour) }),
})

/** Beyond the quota: what an hour adds to it. */
export const overageOf = (before: number, hour: number, quota: number | null): number => {
  const over = (used: number) => (quota === null ? 0 : Math.max(0, used - quota))
  return over(before + hour) - over(before)
}

const usedBy = (hour: UsageSums): Values => ({
  executions: hour.executions,
  tokens: hour.tokens_input + hour.tokens_output,
})

/** Reports each hour that is over and differs from what was reported. Tenants without a customer owe nothing. */
export async function pushUsage(ctx: Context): Promise<void> {
  const { tenant_id } = ctx.space
  const customer = await ownCustomer(ctx)
  if (customer === undefined) return
  const [{ executions, tokens }, periods] = await Promise.all([provenQuotas(ctx), owedPeriods(ctx)])
  for (const period of periods) {
    const [hours, reported] = await Promise.all([hoursOf(ctx, period), reportedIn(ctx, period)])
    for (const { hour, before, used } of hours) {
      const was = reported.get(hour)
      const quotas = was?.quotas ?? { executions, tokens }
      const over: Values = {
        executions: overageOf(before.executions, used.executions, quotas.executions),
        tokens: overageOf(before.tokens, used.tokens, quotas.tokens),
      }
      const isSame = was?.values.executions === over.executions && was.values.tokens === over.tokens
      if (isSame && was.state === 'sent') continue
      const push = isSame ? was : await stored(ctx, was, { tenant_id, hour, values: over, quotas })
      await send(customer, push)
      await ctx.table.commit([pushes.replace({ ...push, state: 'sent' }, push)])
    }
  }
}

/** The quotas of the plan that is proven and paid for: a row in the table may be wrong for a moment, and a report stays. */
async function provenQuotas(ctx: Context): Promise<Quotas> {
  const [tenant, all] = await Promise.all([freshTenant(ctx.table, ctx.space.tenant_id), allSubscriptions(ctx)])
  const { plan: plan_granted, quotas } = await grantOf(ctx, tenant)
  return quotasOf({ plan: effectivePlan(plan_granted, all, ctx.now()), plan_granted, quotas })
}

/** The reports of a period, by hour. */
async function reportedIn({ table, space }: Context, { start, end }: Period): Promise<Map<string, Stored<Push>>> {
  const [from, to] = [start - HOUR_MS, end].map((at) => pushKey(iso(at).slice(0, 13)))
  const reported = await table.query(pushes, { pk: usagePartition(space), from, to })
  return new Map(reported.map((push) => [push.hour, push]))
}

type Hour = { hour: string; before: Values; used: Values }

/** An hour belongs to the period in which it ends. */
async function hoursOf(ctx: Context, { start, end }: Period): Promise<Hour[]> {
  const before: Values = { executions: 0, tokens: 0 }
  const found: Hour[] = []
  const [from, to] = [start - HOUR_MS, end].map((at) => hourKey(iso(at).slice(0, 13)))
  for (const item of await ctx.table.query(usageSums, { pk: usagePartition(ctx.space), from, to })) {
    const hour = item.sk.slice(2)
    const ends = Date.parse(`${hour}:00:00.000Z`) + HOUR_MS
    if (ends <= start || ends > end || ends + SETTLED_MS > ctx.now()) continue
    const used = usedBy(item)
    if (ends + REPORTED_WITHIN_MS > ctx.now()) found.push({ hour, before: { ...before }, used })
    before.executions += used.executions
    before.tokens += used.tokens
  }
  return found
}

/** Written before it is sent, so that the same revision is sent again if the process dies. */
async function stored(
  ctx: Context,
  was: Stored<Push> | undefined,
  of: Omit<Push, 'revision' | 'state'>,
): Promise<Stored<Push>> {
  const next: Push = { ...of, revision: (was?.revision ?? 0) + 1, state: 'pending' }
  await ctx.table.commit([was ? pushes.replace(next, was) : pushes.insert(next)])
  return { ...next, _v: (was?._v ?? 0) + 1 }
}

/** The provider keeps the newest event of a customer, meter and hour; the identifier also guards for a day. */
async function send(customer_id: string, { tenant_id, hour, values: over, revision }: Push): Promise<void> {
  for (const meter of BILLED) {
    if (over[meter] === 0 && revision === 1) continue
    await asking((client) =>
      client.billing.meterEvents
        .create({
          event_name: meterName(meter),
          identifier: `${tenant_id}:${meter}:${hour}:${revision}`,
          timestamp: Date.parse(`${hour}:59:59.000Z`) / 1_000,
          payload: { stripe_customer_id: customer_id, value: String(over[meter]) },
        })
        .catch(unlessKnown),
    )
  }
}

const meterName = (meter: Billed): string => `countersign_${meter}`

function unlessKnown(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'duplicate_meter_event') return undefined
  throw error
}

const DAYS_MS = 2 * 86_400_000
/** The provider sums asynchronously: a report of just now may be missing from its sums. */
const SUMMED_MS = 2 * HOUR_MS

/**
 * Once a day: compares the provider's sums of the last two days with our reports, and reports the hours that differ again. Then
 * it reports the hours that never were, so that none is lost with the message that should have caused its report.
 */
export async function compareUsage(ctx: Context): Promise<void> {
  await expectAgain(ctx)
  await pushUsage(ctx)
}

/** Hours that differ are to be reported again. */
async function expectAgain(ctx: Context): Promise<void> {
  const end = Math.floor((ctx.now() - SUMMED_MS) / HOUR_MS) * HOUR_MS
  const start = end - DAYS_MS
  const [from, to] = [start, end - 1].map((at) => pushKey(iso(at).slice(0, 13)))
  const reported = await ctx.table.query(pushes, { pk: usagePartition(ctx.space), from, to })
  if (reported.length === 0) return
  const customer = await ownCustomer(ctx)
  if (customer === undefined) return
  const summed = await summaries(customer, start, end)
  const differing = reported.filter((push) => push.state === 'sent' && differs(push, summed))
  if (differing.length === 0) return
  alarm('metering_differs', undefined, { tenant: ctx.space.tenant_id, hours: differing.length })
  for (const push of differing)
    await ctx.table.commit([pushes.replace({ ...push, revision: push.revision + 1, state: 'pending' }, push)])
}

/** By hour, of the meters that the operator has made there. */
type Summed = Map<(typeof BILLED)[number], Map<string, number>>

const differs = ({ hour, values }: Push, summed: Summed): boolean =>
  [...summed].some(([meter, hours]) => (hours.get(hour) ?? 0) !== values[meter])

async function summaries(customer: string, start: number, end: number): Promise<Summed> {
  const { data: meters } = await asking((client) => client.billing.meters.list({ status: 'active', limit: 100 }))
  const summed: Summed = new Map()
  for (const name of BILLED) {
    const meter = meters.find(({ event_name }) => event_name === meterName(name))
    if (!meter) continue // without a meter nothing is charged
    const { data } = await asking((client) =>
      client.billing.meters.listEventSummaries(meter.id, {
        customer,
        start_time: start / 1_000,
        end_time: end / 1_000,
        value_grouping_window: 'hour',
        limit: 100,
      }),
    )
    summed.set(
      name,
      new Map(data.map(({ start_time, aggregated_value }) => [iso(start_time * 1_000).slice(0, 13), aggregated_value])),
    )
  }
  return summed
}
