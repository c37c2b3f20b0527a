// What was used beyond a quota, hour by hour, told to the payment provider. An hour is told as a whole, so that telling it again
// replaces what was told before and never adds to it.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { PLAN_FACTS } from '../../base/limits/plans.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, type Stored } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { customers } from '../billing/customer.ts'
import { asking } from '../billing/stripe.ts'
import { type Period, periodOf } from './read-usage.ts'
import { hourKey, type UsageSums, usagePartition, usageSums } from './usage-item.ts'

const HOUR_MS = 3_600_000
/** An hour is told once everything of it is counted. */
const SETTLED_MS = 300_000

export const BILLED = ['executions', 'tokens'] as const
type Billed = (typeof BILLED)[number]
const values = z.object({ executions: z.int(), tokens: z.int() })
type Values = z.output<typeof values>

/** `quotas` are those that were in effect when the hour was told first; later plans do not change the past. */
const Push = z.object({
  tenant_id: z.string(),
  hour: z.string(),
  values,
  quotas: z.object({ executions: z.int().nullable(), tokens: z.int().nullable() }),
  revision: z.int(),
  state: z.enum(['pending', 'sent']),
})
export type Push = z.output<typeof Push>

const live = (tenant_id: string): Space => ({ tenant_id, mode: 'live' })

export const pushes = entity({
  name: 'PUSH',
  schema: Push,
  key: (of: { tenant_id: string; hour: string }) => ({ pk: usagePartition(live(of.tenant_id)), sk: `PUSH#${of.hour}` }),
})

const PushDue = z.object({ tenant_id: z.string(), due_at: z.string() })

/** While an hour with counts is not told. */
export const pushesDue = entity({
  name: 'PUSHDUE',
  schema: PushDue,
  key: (of: { tenant_id: string }) => ({ pk: usagePartition(live(of.tenant_id)), sk: 'PUSHDUE' }),
  index: ({ tenant_id, due_at }) => dueAt(due_at, tenant_id),
})

/** Once the running hour is over, it is told; tenants that have never paid owe nothing. */
export async function expectPush(ctx: Context): Promise<void> {
  const { table } = ctx
  const { tenant_id } = ctx.space
  const due_at = iso((Math.floor(ctx.now() / HOUR_MS) + 1) * HOUR_MS + SETTLED_MS)
  const [was, customer] = await Promise.all([table.get(pushesDue, { tenant_id }), table.get(customers, { tenant_id })])
  if (!customer || (was && was.due_at >= due_at)) return
  const next = { tenant_id, due_at }
  await table.commit([was ? pushesDue.replace(next, was) : pushesDue.insert(next)]).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error
  })
}

/** Beyond the quota: what an hour adds to it. */
export const overageOf = (before: number, hour: number, quota: number | null): number => {
  const over = (used: number) => (quota === null ? 0 : Math.max(0, used - quota))
  return over(before + hour) - over(before)
}

const usedBy = (hour: UsageSums): Values => ({
  executions: hour.executions,
  tokens: hour.tokens_input + hour.tokens_output,
})

/** Tells each hour of the period that is over and differs from what was told. Tenants without a customer owe nothing. */
export async function pushUsage(ctx: Context): Promise<void> {
  const { tenant_id } = ctx.space
  const customer = await ctx.table.get(customers, { tenant_id })
  if (!customer) return
  const [{ plan }, period] = await Promise.all([freshTenant(ctx.table, tenant_id), periodOf(ctx)])
  const { executions, tokens } = PLAN_FACTS[plan].quotas
  for (const { hour, before, used } of await hoursOf(ctx, period)) {
    const was = await ctx.table.get(pushes, { tenant_id, hour })
    const quotas = was?.quotas ?? { executions, tokens }
    const over: Values = {
      executions: overageOf(before.executions, used.executions, quotas.executions),
      tokens: overageOf(before.tokens, used.tokens, quotas.tokens),
    }
    const isSame = was?.values.executions === over.executions && was.values.tokens === over.tokens
    if (isSame && was.state === 'sent') continue
    const push = isSame ? was : await stored(ctx, was, { tenant_id, hour, values: over, quotas })
    await send(customer.customer_id, push)
    await ctx.table.commit([pushes.replace({ ...push, state: 'sent' }, push)])
  }
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
    found.push({ hour, before: { ...before }, used })
    before.executions += used.executions
    before.tokens += used.tokens
  }
  return found
}

/** Before it is sent: whatever dies, the same revision is sent again. */
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

export const meterName = (meter: Billed): string => `countersign_${meter}`

function unlessKnown(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'duplicate_meter_event') return undefined
  throw error
}
