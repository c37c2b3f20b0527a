// How much of a policy's limit is used.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Failure, notFound, type Violation } from '../../base/lib/failure.ts'
import { type Limit, LIMIT_KEYS, type LimitKey, windowSeconds } from '../governance/rule-terms.ts'
import { Policy } from '../governance/policy.ts'
import { policies } from '../governance/stored-rules.ts'
import { counterOf, fromTenThousandths, keyHash, type Plan } from './counters.ts'
import { counterItems } from './item.ts'
import { counterName, shardName } from './weigh.ts'
import { added, baseOf, EMPTY, isOver, type View } from './window.ts'
import type { Truth } from '../governance/decide/evaluation.ts'

export const CounterUsage = z.object({
  measure: z.enum(['count', 'sum']).describe('Whether executions are counted or amounts summed.'),
  currency: z.string().optional().describe('Currency (ISO 4217).'),
  max: z.number().describe('The largest total that passes.'),
  used: z.number().describe('The total of the window up to now.'),
  remaining: z.number().describe('What is left.'),
  window_s: z.int().describe('The length of the window in seconds.'),
  /** A limit of more than 100 a second is spread over several items, and may refuse a little early. */
  precision: z.enum(['exact', 'sharded']).describe('`sharded`: so many a second that it may refuse a little early.'),
})

export const Usage = z.object({
  policy_id: z.string().describe('Id of the policy.'),
  version: z.int().describe('The version of the policy whose limit it is.'),
  ...CounterUsage.shape,
})

type Values = Partial<Record<LimitKey, string | undefined>>

/** `values`: of the keys of the limit. Throws 404 for a policy without a limit, 422 for other keys. */
export async function usageOf(ctx: Context, policyId: string, values: Values): Promise<z.input<typeof Usage>> {
  const stored = await ctx.table.get(policies, { ...ctx.space, policy_id: policyId })
  if (!stored) throw notFound('policy')
  const policy = Policy.parse(JSON.parse(stored.body))
  const { limit, policy_id, version } = policy
  if (!limit) throw notFound('limit')
  const standing = await counterUsageOf(ctx, policy, limit, keyHash(pairsOf(limit, values)))
  return { policy_id, version, ...standing }
}

/** The usage of one counter of a policy in the window that ends now. */
export async function counterUsageOf(
  ctx: Context,
  policy: Policy,
  limit: Limit,
  hash: string,
): Promise<z.input<typeof CounterUsage>> {
  const counter = counterOf(policy, limit)
  const items = await Promise.all(
    Array.from({ length: counter.shards }, (_, index) =>
      ctx.table.get(counterItems, { ...ctx.space, ...counter, hash, shard: shardName(index) }),
    ),
  )
  let total = 0n
  for (const view of items) if (view) total += view.t - baseOf(view, counter.windowMs, ctx.now())
  const { measure, currency, max } = limit
  const inUnits = (value: bigint) => (measure === 'sum' ? fromTenThousandths(value) : Number(value))
  const left = counter.max - total
  return {
    measure,
    currency,
    max,
    used: inUnits(total),
    remaining: inUnits(left > 0n ? left : 0n),
    window_s: windowSeconds(limit.window),
    precision: counter.shards === 1 ? 'exact' : 'sharded',
  }
}

function pairsOf({ per }: Limit, values: Values): (readonly [LimitKey, string])[] {
  const problems = LIMIT_KEYS.flatMap((key): Violation[] => {
    const isGiven = values[key] !== undefined
    if (per.includes(key) === isGiven) return []
    const msg = isGiven ? 'is not a key of this limit' : 'is required, because the limit counts for each value of it'
    return [{ loc: ['query', key], msg, type: isGiven ? 'extra_forbidden' : 'missing' }]
  })
  if (problems.length > 0) throw new Failure('invalid', problems)
  return per.map((key) => [key, values[key] ?? ''] as const)
}

/** Counters of a repeated past, in memory: they count the actions that would have run. */
export class PastCounters {
  readonly #views = new Map<string, View>()

  /** Whether each policy was beyond its limit at an instant (ms). */
  over(plans: readonly Plan[], at: number): Map<string, Truth> {
    return new Map(
      plans.map(({ policy_id, counters }) => [
        policy_id,
        counters?.some((counter) => isOver(this.#views.get(counterName(counter)) ?? EMPTY, counter, at)),
      ]),
    )
  }

  add(plans: readonly Plan[], at: number, started: boolean): void {
    for (const counter of plans.flatMap(({ counters = [] }) => counters)) {
      const name = counterName(counter)
      if (started || counter.requests) this.#views.set(name, added(this.#views.get(name) ?? EMPTY, counter, at))
    }
  }
}
