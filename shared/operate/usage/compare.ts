// Once a day: holds what the payment provider has of the last two days against what it was told. What differs is told again.
import { HOUR_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import { ownCustomer } from '../billing/customer.ts'
import { asking } from '../billing/stripe.ts'
import { BILLED, meterName, type Push, pushes, pushKey, pushUsage } from './push.ts'
import { usagePartition } from '../../ledger/usage/usage-item.ts'

const DAYS_MS = 2 * 86_400_000
/** The provider sums asynchronously: what was told just now may not be there yet. */
const SETTLED_MS = 2 * HOUR_MS

/** Ends with what was never told, whatever became of the time at which it was due. */
export async function compareUsage(ctx: Context): Promise<void> {
  await expectAgain(ctx)
  await pushUsage(ctx)
}

/** What differs is to be told again. */
async function expectAgain(ctx: Context): Promise<void> {
  const end = Math.floor((ctx.now() - SETTLED_MS) / HOUR_MS) * HOUR_MS
  const start = end - DAYS_MS
  const [from, to] = [start, end - 1].map((at) => pushKey(iso(at).slice(0, 13)))
  const told = await ctx.table.query(pushes, { pk: usagePartition(ctx.space), from, to })
  if (told.length === 0) return
  const customer = await ownCustomer(ctx)
  if (customer === undefined) return
  const summed = await summaries(customer, start, end)
  const differing = told.filter((push) => push.state === 'sent' && differs(push, summed))
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
