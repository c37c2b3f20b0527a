// Makes one retry of a failing delivery for the state machine. The attempt is claimed before and recorded after the POST, so
// a crash in between repeats it with the same event id, by which receivers remove duplicates.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryChange } from '../../base/kernel/retry.ts'
import { giveUp, deliveryInputs } from './deliver.ts'
import { type Delivery, deliveries } from './delivery.ts'
import { CLAIMS_MAX, claimed, waitSeconds } from './delivery-rules.ts'
import { finishExhausted } from './finish.ts'
import { endpoints } from './endpoint.ts'
import { postOnce } from './post-once.ts'
import { post, type Posted, type ToPost } from './post.ts'
import { MAX_RETRIES } from './schedule.ts'

/** `stopped`: the machine has nothing more to do. `wait_seconds`: until the next attempt. */
export type RetryResult = { outcome: 'delivered' | 'failed' | 'stopped'; attempt: number; wait_seconds: number }

/** `last`: the attempt after which the state machine has waited. */
export type Retry = { delivery_id: string; execution_id: string; last?: number | undefined }

const TRIES = 5

/** When another execution changes the delivery, its new state decides. */
export const retryDelivery = (ctx: Context, input: Retry): Promise<RetryResult> =>
  retryChange(TRIES, () => retryOnce(ctx, input))

async function retryOnce(ctx: Context, { delivery_id, execution_id, last }: Retry): Promise<RetryResult> {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id: delivery_id })
  if (!delivery) return { outcome: 'stopped', attempt: MAX_RETRIES, wait_seconds: 0 }
  const { status, exec, attempt } = delivery
  if (status === 'delivered' || status === 'failed') return resultOf(delivery)
  if (exec !== undefined && exec !== execution_id) return { ...resultOf(delivery), outcome: 'stopped' }
  // This execution has already made the attempt and lost the answer, or it was the last one, after which `failDelivery` ends it.
  if ((last !== undefined && attempt > last) || attempt >= MAX_RETRIES) return resultOf(delivery)
  const found = await deliveryInputs(ctx, delivery)
  if (typeof found === 'string') {
    await giveUp(ctx, delivery, found)
    return { ...resultOf(delivery), outcome: 'stopped' }
  }
  const { held, times } = await claim(ctx, delivery, execution_id)
  const toPost: ToPost = { ...found, delivery: held, n: attempt + 1 }
  const send = async () => (times < CLAIMS_MAX ? post(ctx, toPost) : crashed(ctx, toPost))
  return resultOf(await postOnce(ctx, { was: held, endpoint: found.endpoint }, send))
}

/** The state of a delivery for the state machine. */
function resultOf(delivery: Delivery): RetryResult {
  const { status, attempt } = delivery
  const outcome = status === 'delivered' ? 'delivered' : status === 'failed' ? 'stopped' : 'failed'
  return { outcome, attempt, wait_seconds: waitSeconds(delivery) }
}

async function claim(ctx: Context, delivery: Stored<Delivery>, execution: string) {
  const next = claimed(delivery, execution, ctx.now())
  await ctx.table.commit([deliveries.replace(next, delivery)])
  return { held: { ...next, _v: delivery._v + 1 }, times: next.claimed.times }
}

/** Records an attempt that was started too often without a result as a crash of the service, so that the schedule continues. */
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
