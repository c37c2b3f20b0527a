// One retry of a failing delivery, called by the state machine. The attempt is claimed before it is made and recorded
// after it, so a crash in between repeats the POST with the same event id, which receivers de-duplicate.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { giveUp, needs } from './deliver.ts'
import { type Delivery, deliveries } from './delivery.ts'
import { CLAIMS_MAX, claimed, waitSeconds } from './delivery-rules.ts'
import { finishAttempt, finishExhausted } from './finish.ts'
import { endpoints } from './endpoint.ts'
import { post, type Posted, type ToPost } from './post.ts'
import { MAX_RETRIES } from './schedule.ts'

/** `stopped`: the machine has nothing more to do. `wait_seconds`: until the next attempt. */
export type RetryResult = { outcome: 'delivered' | 'failed' | 'stopped'; attempt: number; wait_seconds: number }

/** `last`: the attempt after which the machine has waited, where it says so. */
export type Retry = { delivery_id: string; execution_id: string; last?: number | undefined }

const TRIES = 5

export async function retryDelivery(ctx: Context, input: Retry): Promise<RetryResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retryOnce(ctx, input)
    } catch (error) {
      // Another execution moved the delivery; what it is now decides.
      if (!(error instanceof ConditionFailed) || attempt >= TRIES) throw error
    }
  }
}

async function retryOnce(ctx: Context, { delivery_id, execution_id, last }: Retry): Promise<RetryResult> {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id: delivery_id })
  if (!delivery) return { outcome: 'stopped', attempt: MAX_RETRIES, wait_seconds: 0 }
  const { status, exec, attempt } = delivery
  if (status === 'delivered' || status === 'failed') return resultOf(delivery)
  if (exec !== undefined && exec !== execution_id) return { ...resultOf(delivery), outcome: 'stopped' }
  // Already made by this execution, which lost our answer; or the last one, which leaves the rest to `failDelivery`.
  if ((last !== undefined && attempt > last) || attempt >= MAX_RETRIES) return resultOf(delivery)
  const found = await needs(ctx, delivery)
  if (typeof found === 'string') {
    await giveUp(ctx, delivery, found)
    return { ...resultOf(delivery), outcome: 'stopped' }
  }
  const { held, times } = await claim(ctx, delivery, execution_id)
  const toPost: ToPost = { ...found, delivery: held, n: attempt + 1 }
  const posted = times < CLAIMS_MAX ? await post(ctx, toPost) : crashed(ctx, toPost)
  return resultOf(await finishAttempt(ctx, { was: held, endpoint: found.endpoint, posted }))
}

/** What the state machine needs to know of a delivery. */
function resultOf(delivery: Delivery): RetryResult {
  const { status, attempt } = delivery
  const outcome = status === 'delivered' ? 'delivered' : status === 'failed' ? 'stopped' : 'failed'
  return { outcome, attempt, wait_seconds: waitSeconds(delivery) }
}

async function claim(ctx: Context, delivery: Stored<Delivery>, execution: string) {
  const next = claimed(delivery, execution)
  await ctx.table.commit([deliveries.replace(next, delivery)])
  return { held: { ...next, _v: delivery._v + 1 }, times: next.claimed.times }
}

/** Twice begun without an end: recorded as our own failure, so that the schedule goes on. */
function crashed(ctx: Context, { delivery: { tenant_id, mode, id }, n }: ToPost): Posted {
  const at = iso(ctx.now())
  const attempt = { tenant_id, mode, delivery_id: id, n, at, error_class: 'worker_crash', latency_ms: 0 }
  return { attempt, delivered: false }
}

/** Ends a delivery whose last retry has failed, and counts it against its endpoint. Repeating it changes nothing. */
export async function failDelivery(ctx: Context, id: string): Promise<void> {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id })
  if (delivery?.status !== 'retrying' || delivery.attempt < MAX_RETRIES) return
  const endpoint = await ctx.table.get(endpoints, { ...ctx.space, id: delivery.endpoint_id })
  await finishExhausted(ctx, delivery, endpoint)
}
