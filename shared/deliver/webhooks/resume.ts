// Restarts overdue deliveries for the sweeper: a message was lost, an execution failed, or the local service was restarted
// between two retries.
import { type Context, systemContext } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Key, spaceOf } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { startRetries } from './deliver.ts'
import { deliveries } from './delivery.ts'
import { movedAt, released } from './delivery-rules.ts'
import { enqueueDeliveries } from './queue.ts'

export type ResumeOptions = {
  /** Restarts also a delivery that is not overdue, unless it has changed since this time (ISO): timers of an earlier process are lost. */
  restartedAt?: string | undefined
}

/** Restarts an overdue delivery; true when there was anything to do. A second sweeper at the same time does nothing. */
export async function resumeDelivery({ pk }: Key, options: ResumeOptions = {}): Promise<boolean> {
  const space = spaceOf(pk)
  return space ? resume(systemContext(space), pk.split('#').at(-1) ?? '', options) : false
}

async function resume(ctx: Context, id: string, { restartedAt }: ResumeOptions): Promise<boolean> {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id })
  if (!delivery?.due_at) return false
  const forgotten = restartedAt !== undefined && movedAt(delivery) < restartedAt
  if (!forgotten && delivery.due_at > iso(ctx.now())) return false
  const next = released(delivery, ctx.now())
  if (!(await isFirst(ctx.table.commit([deliveries.replace(next, delivery)])))) return false
  if (next.status === 'retrying') await startRetries({ ...next, retry_after: 0 })
  else await enqueueDeliveries(ctx.space, [id])
  return true
}
