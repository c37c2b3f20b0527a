// Counts an action in its own transaction. Decided is by what this container has seen; the conditions of the transaction hold
// the totals to their limits whatever others do meanwhile.
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { nameOf, type Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/table/retry.ts'
import { Contended } from '../../base/table/table.ts'
import type { Decision } from '../governance/evaluate.ts'
import { packCounted } from './counted.ts'
import { counterItems, countWrite } from './item.ts'
import { isContended, learn, noteContended, see } from './views.ts'
import { counterName, type Reserved, type Scales, type Weighed } from './weigh.ts'
import { added, fitsAt } from './window.ts'

/** What a decision counts. */
export type Counting = Scales & { reserved: Reserved }

/** When it is counted: in the transaction of the request by its outcome, or when a held action runs. */
export type Stage = Decision['outcome'] | 'claim'

/** A counter has changed since the decision, which must be made again. */
export class Recount extends Overtaken {}

/** What starts is counted when it starts, whatever asks for it; a request is counted once, with the request. */
const isCounted = ({ requests }: Weighed, stage: Stage): boolean =>
  requests ? stage !== 'claim' : stage === 'run' || stage === 'claim'

/** Beyond its limit an action counts only if it runs all the same: in the shadow, or as the policy or a person allows. */
function writeOf(ctx: Context, one: Weighed): Write {
  const { view, over, shadow } = one
  const now = ctx.now()
  const write = countWrite(ctx.space, one, { view, now, conditional: !over && !shadow })
  return { ...write, done: () => learn(ctx, keyOf(ctx, one), added(view, one, now)) }
}

const keyOf = ({ space }: Context, one: Weighed) => counterItems.key({ ...space, ...one })

/** The writes that count, and what the execution notes of them. */
export function countedWrites(ctx: Context, { weighed, reserved }: Counting, stage: Stage) {
  const all = weighed.filter((one) => isCounted(one, stage))
  const open = all.filter((one) => !reserved.has(counterName(one)))
  return { writes: open.map((one) => writeOf(ctx, one)), counted: packCounted(all, ctx.now()) }
}

/**
 * Reserves apart from the transaction where this container has met others: single updates of an item queue, transactions on it
 * collide. Throws `Recount` when it is full.
 */
export async function reserve(ctx: Context, { weighed, reserved }: Counting, stage: Stage): Promise<void> {
  const hot = weighed.filter(
    (one) => isCounted(one, stage) && !reserved.has(counterName(one)) && isContended(ctx, keyOf(ctx, one)),
  )
  const results = await Promise.allSettled(
    hot.map(async (one) => {
      await ctx.table.writeOne(writeOf(ctx, one))
      reserved.set(counterName(one), one.shard)
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw learnFrom(ctx, result.reason)
}

/** What a commit says about counters becomes known to the container. Other errors are returned as they are. */
export function learnFrom(ctx: Context, error: unknown): unknown {
  if (!(error instanceof Contended)) return error
  for (const { key, item } of error.failed) see(ctx, key, counterItems.decode(item))
  for (const key of error.collided) noteContended(ctx, nameOf(key))
  return error.failed.length > 0 ? new Recount() : error
}

/** What was reserved for an action that then did not run stays counted until the window has passed. */
export function noteUnused({ reserved }: Counting): void {
  if (reserved.size > 0) warn('limit_reserved_lost', new Error('reserved, but not run'), { counters: reserved.size })
}

/** Seconds until the policies that refused would let it pass; undefined where waiting does not help. */
export function retryAfter(ctx: Context, { weighed }: Scales, policyIds: readonly string[]): number | undefined {
  const blocking = weighed.filter(({ policy_id, over }) => over && policyIds.includes(policy_id))
  const times = blocking.map((one) => fitsAt(one.view, one))
  const isLimit = (id: string) => blocking.some(({ policy_id }) => policy_id === id)
  if (times.length === 0 || times.includes(undefined) || !policyIds.every(isLimit)) return undefined
  const last = Math.max(...times.map((at) => at ?? 0))
  return Math.max(1, Math.ceil((last - ctx.now()) / 1_000))
}
