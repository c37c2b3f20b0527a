// Counts an action in its own transaction, and takes the count back. The decision uses what this container has seen of the counters.
// The transaction has the conditions that keep each total within its limit, also when other containers count at the same time.
import type { Context } from '../../base/context.ts'
import { type Following, nameOf, type Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retry } from '../../base/kernel/retry.ts'
import { Contended } from '../../base/table/table.ts'
import type { Decision } from '../governance/decide/evaluate.ts'
import { type Added, counterItems, countWrite, packLimitUse, takeWrite, unpackLimitUse } from './item.ts'
import { added, bucketAt, fitsAt, givenBack, isContended, learn, noteContended, see } from './window.ts'
import { counterName, type Reserved, type Scales, type Weighed } from './weigh.ts'
import { warn } from '../../base/lib/log.ts'
import { tally } from '../../base/limits/tally.ts'

/** The counters of a decision, with the shares that are reserved already. */
export type LimitCheck = Scales & { reserved: Reserved }

/** When it is counted: in the transaction of the request by its outcome, or when a held action runs. */
export type Stage = Decision['outcome'] | 'claim'

/** A counter has changed since the decision, which must be made again. */
export class Recount extends ChangedMeanwhile {}

/**
 * Reserves apart from the transaction where this container has met others: single updates of an item queue, transactions on it
 * collide. Throws `Recount` when it is full.
 */
export async function reserve(ctx: Context, { weighed, reserved }: LimitCheck, stage: Stage): Promise<void> {
  const hot = weighed.filter(
    (one) => isCounted(one, stage) && !reserved.has(counterName(one)) && isContended(ctx, keyOf(ctx, one)),
  )
  const results = await Promise.allSettled(
    hot.map(async (one) => {
      const now = ctx.now()
      await ctx.table.writeOne(writeOf(ctx, one, now))
      reserved.set(counterName(one), addedBy(one, now))
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw learnFrom(ctx, result.reason)
}

/** The writes that count, and the note of the execution on the shares that it may have to give back. */
export function limitUseWrites(ctx: Context, { weighed, reserved }: LimitCheck, stage: Stage) {
  const now = ctx.now()
  const all = weighed.filter((one) => isCounted(one, stage))
  const open = all.filter((one) => !reserved.has(counterName(one)))
  const noted = all
    .filter(({ give_back }) => give_back.length > 0)
    .map((one) => ({ ...one, ...(reserved.get(counterName(one)) ?? addedBy(one, now)) }))
  return { writes: open.map((one) => writeOf(ctx, one, now)), counted: packLimitUse(noted) }
}

/** The counters of an action that has gone through these stages. */
export const countedAt = ({ weighed }: Scales, stages: readonly Stage[]): ReadonlySet<string> =>
  new Set(weighed.filter((one) => stages.some((stage) => isCounted(one, stage))).map(counterName))

/** A limit of runs counts an action when it starts, at once or by a claim; a limit of requests counts it once, with the request. */
const isCounted = ({ requests }: Weighed, stage: Stage): boolean =>
  requests ? stage !== 'claim' : stage === 'run' || stage === 'claim'

/** Beyond its limit an action counts only if it runs all the same: in the shadow, or as the policy or a person allows. */
function writeOf(ctx: Context, one: Weighed, now: number): Write {
  const { view, over, shadow } = one
  const write = countWrite(ctx.space, one, { view, now, conditional: !over && !shadow })
  return { ...write, done: () => learn(ctx, keyOf(ctx, one), added(view, one, now)) }
}

const keyOf = ({ space }: Context, one: Weighed) => counterItems.key({ ...space, ...one })

const addedBy = ({ name, hash, shard, n, windowMs }: Weighed, now: number): Added => ({
  name,
  hash,
  shard,
  n,
  bucket: bucketAt(windowMs, now),
})

/** The container learns the counters that let a commit fail. Returns the error to throw; other errors are returned as they are. */
export function learnFrom(ctx: Context, error: unknown): unknown {
  if (!(error instanceof Contended)) return error
  for (const { key, item } of error.failed) see(ctx, key, counterItems.decode(item))
  for (const key of error.collided) noteContended(ctx, nameOf(key))
  return error.failed.length > 0 ? new Recount() : error
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

const NONE: ReadonlySet<string> = new Set()
const TRIES = 4

/**
 * Takes back the shares that were reserved for an action that did not run. `kept`: the counters that the stored action uses. Never
 * throws: a share that cannot be taken back stays counted until the window has passed, and is logged and counted as lost.
 */
export async function release(ctx: Context, reserved: Reserved, kept: ReadonlySet<string> = NONE): Promise<void> {
  const unused = [...reserved].filter(([name]) => !kept.has(name))
  for (const [name] of unused) reserved.delete(name)
  await Promise.all(unused.map(([, share]) => takeBack(ctx, share)))
}

async function takeBack(ctx: Context, share: Added): Promise<void> {
  try {
    await retry(async () => {
      for (const write of await takeFrom(ctx, share)) await ctx.table.writeOne(write)
    }, [{ is: (error) => error instanceof Contended, tries: TRIES }])
  } catch (error) {
    warn('limit_reserved_lost', error)
    await tally(ctx.table, ctx.space, 'll')
  }
}

/**
 * Takes an execution from the counters that give back after this outcome, in the transaction that stores it. Where too many
 * others write a counter meanwhile, the share stays counted there.
 */
export function giveBack(ctx: Context, counted: string | undefined, outcome: 'failed' | 'undone'): Following[] {
  return unpackLimitUse(counted)
    .filter(({ give_back }) => give_back.has(outcome))
    .map((one) => {
      let tries = 0
      return { following: async () => ((tries += 1) > TRIES ? [] : takeFrom(ctx, one)) }
    })
}

/** The write that takes a share from its item, as the item is now. */
async function takeFrom({ table, space }: Context, one: Added): Promise<Write[]> {
  const was = await table.get(counterItems, { ...space, ...one })
  return was ? [takeWrite(space, one, was, givenBack(was, one.n, one.bucket))] : []
}
