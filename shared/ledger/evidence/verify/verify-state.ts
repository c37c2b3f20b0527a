// The last results of verification and the running full pass. One item per chain, changed under optimistic locking, so the
// parts of a pass may end in any order and at the same time.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { dueAt } from '../../../base/table/due.ts'
import { entity, type Key, spaceOf } from '../../../base/table/entity.ts'
import { jitter, retryChange } from '../../../base/kernel/retry.ts'
import { chainKey, Finding } from '../chain/chain.ts'
import { Gaps } from './gaps.ts'
import { Part } from './verify-queue.ts'

const TRIES = 20
const PAUSE_MS = 40

export const Completeness = z.object({
  /** `stale`: the last check found no gaps, and the next one is overdue. */
  result: z.enum(['complete', 'gaps', 'stale', 'unknown']).describe('Whether evidence and states agree.'),
  checked_at: z.string().optional().describe('When the check was made.'),
  ...Gaps.shape,
})
export type Completeness = z.output<typeof Completeness>

export const LastFull = z.object({
  began_at: z.string().describe('When the pass began.'),
  at: z.string().describe('When it happened.'),
  size: z.int().describe('The number of artifacts that it covered.'),
  result: z.enum(['valid', 'broken']).describe('Whether the whole chain is intact.'),
  broken: z.array(Finding).describe('The first findings, each with its position in the chain.'),
  retention: z.string().optional().describe('The last artifact that states how long payloads are kept.'),
})
export type LastFull = z.output<typeof LastFull>

export const TRIGGERS = ['api', 'schedule'] as const
export type Trigger = (typeof TRIGGERS)[number]

/** An open part, sealed. `turn` counts its leases, `tries` the consecutive leases without progress. */
const OpenPart = z.object({ part: Part, seal: z.string(), turn: z.int(), tries: z.int(), until: z.string() })
export type OpenPart = z.output<typeof OpenPart>

/** The findings of a part that has ended, sealed. */
const DonePart = z.object({
  name: z.string(),
  broken: z.array(Finding),
  completeness: Completeness.optional(),
  retention: z.string().optional(),
  seal: z.string(),
})
export type DonePart = z.output<typeof DonePart>

/** A running full pass. `plan`, which is sealed, says what it consists of. */
const Job = z.object({
  id: z.string(),
  trigger: z.enum(TRIGGERS),
  plan: z.object({
    began_at: z.string(),
    /** Size of the checkpoint at which it ends. */
    size: z.int(),
    parts: z.int(),
  }),
  seal: z.string(),
  open: z.array(OpenPart),
  done: z.array(DonePart),
})
export type Job = z.output<typeof Job>

const VerifyState = z.object({
  pk: z.string(),
  sk: z.string(),
  last_full: LastFull.optional(),
  last_incremental: LastFull.omit({ broken: true }).optional(),
  completeness: Completeness.optional(),
  /** Each result has its own seal, so that both can be stored at once. */
  last_full_seal: z.string().optional(),
  completeness_seal: z.string().optional(),
  job: Job.optional(),
  /** Time at which a pass was given up; removed when another one ends. */
  given_up: z.string().optional(),
  /** The last finished pass. */
  last_job: z.object({ id: z.string(), trigger: z.enum(TRIGGERS) }).optional(),
})
export type VerifyState = z.output<typeof VerifyState>

export const verifyStates = entity({
  name: 'VERIFY',
  unbound: 'bounded',
  schema: VerifyState,
  key: ({ pk, sk }: Key): Key => ({ pk, sk }),
  /** Due when the first lease expires. */
  index: ({ pk, job }) => dueAt(job?.open.map(({ until }) => until).toSorted()[0], spaceOf(pk)?.tenant_id ?? pk),
})
export const verifyStateKey = (space: Space): Key => ({ pk: chainKey(space), sk: 'V' })

export const readState = (ctx: Context) => ctx.table.get(verifyStates, verifyStateKey(ctx.space))

/**
 * Applies `change` to the present state, stores the result and returns it. After a concurrent change it retries. If `change`
 * returns undefined, nothing is stored.
 */
export const changeState = (
  ctx: Context,
  change: (state: VerifyState) => VerifyState | undefined | Promise<VerifyState | undefined>,
): Promise<VerifyState> => {
  const run = async () => {
    const was = await readState(ctx)
    const state = was ?? verifyStateKey(ctx.space)
    const next = await change(state)
    if (!next) return state
    await ctx.table.commit([was ? verifyStates.replace(next, was) : verifyStates.insert(next)])
    return next
  }
  return retryChange(TRIES, run, () => jitter(ctx, PAUSE_MS))
}
