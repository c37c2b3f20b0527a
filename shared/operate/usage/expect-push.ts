// When hours of usage are to be reported to the payment provider.
import { HOUR_MS, iso } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity } from '../../base/table/entity.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { customers } from '../billing/customer.ts'
import { enqueuePush } from '../billing/enqueue.ts'
import { live, SETTLED_MS } from './push.ts'
import { usagePartition } from '../../ledger/usage/usage-item.ts'

const PushDue = z.object({ tenant_id: z.string(), due_at: z.string() })

/** The next report of each tenant that has paid. */
export const pushesDue = entity({
  name: 'PUSHDUE',
  unbound: 'bounded',
  schema: PushDue,
  key: (of: { tenant_id: string }) => ({ pk: usagePartition(live(of.tenant_id)), sk: 'PUSHDUE' }),
  index: ({ tenant_id, due_at }) => dueAt(due_at, tenant_id),
})

/** The running hour is reported after its end; tenants that have never paid owe nothing. */
export async function expectPush(ctx: Context): Promise<void> {
  const { table } = ctx
  const { tenant_id } = ctx.space
  const due_at = iso((Math.floor(ctx.now() / HOUR_MS) + 1) * HOUR_MS + SETTLED_MS)
  const [was, customer] = await Promise.all([table.get(pushesDue, { tenant_id }), table.get(customers, { tenant_id })])
  if (!customer || (was && was.due_at >= due_at)) return
  const next = { tenant_id, due_at }
  await unlessChangedMeanwhile(table.commit([was ? pushesDue.replace(next, was) : pushesDue.insert(next)]))
}

/**
 * Sends the worker the message to report what is owed, and looks again an hour later: a lost message is repeated, and usage that
 * was counted late is owed, too.
 */
export async function sweepPush(ctx: Context): Promise<void> {
  const { space, table } = ctx
  const was = await table.get(pushesDue, { tenant_id: space.tenant_id })
  if (!was || Date.parse(was.due_at) > ctx.now()) return
  const next = { ...was, due_at: iso(ctx.now() + HOUR_MS) }
  await unlessChangedMeanwhile(table.commit([pushesDue.replace(next, was)]))
  await enqueuePush(space)
}
