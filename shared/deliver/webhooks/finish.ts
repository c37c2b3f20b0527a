// Stores the result of an attempt in one transaction: the delivery, the record of a failed attempt and the health of the
// endpoint.
import type { Context } from '../../base/context.ts'
import { tally } from '../../base/limits/tally.ts'
import { bucketOf, MS_EDGES } from '../../base/lib/histogram.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { retry } from '../../base/kernel/retry.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { attempts, type Delivery, deliveries } from './delivery.ts'
import { MAX_RETRIES } from './schedule.ts'
import { attempted, ended, failed, isRepeat, retrying } from './delivery-rules.ts'
import { type Endpoint, endpoints } from './endpoints/endpoint.ts'
import { disabled, exhausted, type HealthRule, healthWrites, stillFailing, succeeded } from './endpoints/health.ts'
import type { Posted } from './post.ts'

const TRIES = 8

/** Waits between tries to record an answer that the table does not take: 2 s in all, far below the life of a worker. */
const PAUSES_MS = [100, 400, 1_500]

export type Ended = { was: Stored<Delivery>; endpoint: Stored<Endpoint>; posted: Posted }

/** Returns the stored delivery. Throws `ConditionFailed` when another worker has changed it. */
export async function finishAttempt(ctx: Context, { was, endpoint, posted }: Ended): Promise<Stored<Delivery>> {
  const now = ctx.now()
  const made = attempted(was, posted.attempt)
  const next = successor(made, endpoint, posted, now)
  const writes = [deliveries.replace(next, was), ...(posted.delivered ? [] : [attempts.insert(posted.attempt)])]
  const rule = ruleOf(posted, isProbe(made, endpoint))
  await patiently(ctx, next, () => commitWithHealth(ctx, writes, endpoint, rule, next))
  await count(ctx, next)
  return { ...next, _v: was._v + 1 }
}

function successor(delivery: Delivery, endpoint: Endpoint, { delivered, stop, retryAfter }: Posted, now: number) {
  if (delivered) return ended(delivery, 'delivered', now)
  if (stop) return failed(delivery, stop.reason, now)
  if (isProbe(delivery, endpoint)) return failed(delivery, 'endpoint_error', now)
  return retrying(delivery, retryAfter, now)
}

/** The only attempt of an event while its endpoint is in `error`. Running retries and replays continue as usual. */
const isProbe = (delivery: Delivery, endpoint: Endpoint) =>
  isFirst(delivery) && !isRepeat(delivery) && endpoint.status === 'error'

function ruleOf({ delivered, stop }: Posted, probe: boolean): HealthRule | undefined {
  if (stop?.disable) return (endpoint) => disabled(endpoint, stop.reason)
  if (delivered) return succeeded
  return probe ? stillFailing : undefined
}

/** After the last failed attempt: the delivery has failed. Unless it is a repeat, it counts against the health of its endpoint. */
export async function finishExhausted(ctx: Context, was: Stored<Delivery>, endpoint: Stored<Endpoint> | undefined) {
  const next = failed(was, 'exhausted', ctx.now())
  const rule = isRepeat(was) ? undefined : exhausted
  await commitWithHealth(ctx, [deliveries.replace(next, was)], endpoint, rule, next)
  await count(ctx, next)
}

/** A delivery that has ended is counted for the tenant's metrics. */
async function count(ctx: Context, delivery: Delivery): Promise<void> {
  const { table, space } = ctx
  const { status, created_at } = delivery
  if (status === 'failed') await tally(table, space, 'dl_bad')
  if (status !== 'delivered') return
  const took = bucketOf(MS_EDGES, ctx.now() - Date.parse(created_at))
  await tally(table, space, 'dl_ok', `dl${took}`, ...(isFirst(delivery) ? (['dl_first'] as const) : []))
}

const isFirst = ({ attempt, first_attempt = 0 }: Delivery): boolean => attempt === first_attempt

/** Repeats a commit that failed. If the table stored it although the answer was lost, the next try finds it stored. */
async function patiently(ctx: Context, { attempt }: Delivery, commit: () => Promise<void>): Promise<void> {
  const run = (tried: number) =>
    commit().catch((error: unknown) => {
      const isStored = tried > 1 && error instanceof ConditionFailed && error.item?.attempt === attempt
      if (!isStored) throw error
    })
  const isNotTaken = (error: unknown) => !(error instanceof ConditionFailed)
  const pause = (met: number) => ctx.clock.sleep(PAUSES_MS[met - 1] ?? 0)
  await retry(run, [{ is: isNotTaken, tries: PAUSES_MS.length + 1, pause }])
}

/** Commits. When only the endpoint was changed by somebody else, reads it again and applies the rule to it. */
export async function commitWithHealth(
  ctx: Context,
  writes: Write[],
  endpoint: Stored<Endpoint> | undefined,
  rule: HealthRule | undefined,
  { last }: Pick<Delivery, 'last'>,
): Promise<void> {
  let known = endpoint
  const commit = async (attempt: number) => {
    if (attempt > 1 && known) known = await ctx.table.get(endpoints, known)
    const health = known && rule ? healthWrites(ctx, known, rule(known, ctx.now()), last) : []
    const all = [...writes, ...health]
    if (all.length > 0) await ctx.table.commit(all)
  }
  const isOfEndpoint = (error: unknown) => error instanceof ConditionFailed && error.index >= writes.length
  const spent = (cause: unknown) => new Error(`gave up after ${TRIES} concurrent changes`, { cause })
  await retry(commit, [{ is: isOfEndpoint, tries: TRIES, spent }])
}

/** Ends a delivery whose last retry has failed, and counts it against its endpoint. Repeating it changes nothing. */
export async function failDelivery(ctx: Context, id: string): Promise<void> {
  const delivery = await ctx.table.get(deliveries, { ...ctx.space, id })
  if (delivery?.status !== 'retrying' || delivery.attempt < MAX_RETRIES) return
  const endpoint = await ctx.table.get(endpoints, { ...ctx.space, id: delivery.endpoint_id })
  await finishExhausted(ctx, delivery, endpoint)
}
