// A full pass over a chain of any length. It is split into parts that a queue distributes to functions; the results are
// collected in the verification state. There is one pass at a time; later requests join it.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { findAnchor } from '../checkpoint/checkpoint-store.ts'
import { NO_GAPS } from './gaps.ts'
import { enqueueParts, isUnderWay, waitingPart } from './leases.ts'
import { newestCheckpoints } from '../chain/read-chain.ts'
import { sealedPart, sealedPlan } from './pass-seals.ts'
import { readSigners } from '../checkpoint/signers.ts'
import type { Part } from './verify-queue.ts'
import { changeState, type Job, readState, type Trigger, type VerifyState } from './verify-state.ts'
import { CHECKPOINT_PREFIX, checkpointKey } from '../chain/chain.ts'

/**
 * Starts a pass up to the newest checkpoint, or joins the running one; returns it. The plan and each part are sealed before they
 * are stored, so nobody can shorten a pass in the table. Two callers at once start one pass. When the queue refuses its parts,
 * the pass is removed again and the error is thrown; parts that a crash leaves unqueued are queued once their lease is over.
 */
export async function startFullPass(ctx: Context, trigger: Trigger): Promise<Job> {
  const running = runningJob(ctx, await readState(ctx))
  if (running) return running
  const size = await signedSize(ctx)
  const parts: Part[] = [
    ...(await segmentsTo(ctx, size)).map((segment) => ({ kind: 'segment' as const, ...segment })),
    { kind: 'completeness', list: 0, gaps: NO_GAPS },
  ]
  const id = ctx.id('job')
  const plan = { began_at: iso(ctx.now()), size, parts: parts.length }
  const sealed = await Promise.all(parts.map(async (part) => ({ part, seal: await sealedPart(ctx, id, part) })))
  const seal = await sealedPlan(ctx, id, plan)
  const mine: Job = { id, trigger, plan, seal, open: sealed.map((part) => waitingPart(ctx, part)), done: [] }
  const { job = mine } = await changeState(ctx, (state) =>
    runningJob(ctx, state) ? undefined : { ...state, job: mine },
  )
  if (job.id === mine.id) await queueParts(ctx, mine)
  return job
}

function runningJob(ctx: Context, state: VerifyState | undefined): Job | undefined {
  const job = state?.job
  return job && isUnderWay(job, ctx.now()) ? job : undefined
}

/** Size of the newest valid checkpoint. Every verification reports invalid ones. */
async function signedSize(ctx: Context): Promise<number> {
  const [known] = await newestCheckpoints(ctx, 1)
  const { anchor } = await findAnchor(ctx.space, await readSigners(ctx), known?.size)
  return anchor?.size ?? 0
}

async function queueParts(ctx: Context, { id: job_id, open }: Job): Promise<void> {
  try {
    await enqueueParts(ctx, job_id, open)
  } catch (error) {
    await changeState(ctx, (state) => (state.job?.id === job_id ? { ...state, job: undefined } : undefined))
    throw error
  }
}

/** Maximum of artifacts per segment, unless two checkpoints are further apart. */
const SEGMENT_MAX = 50_000

/**
 * Segments as pairs of checkpoint sizes that cover the chain up to `size`, the newest checkpoint. They start at signed
 * checkpoints, because only there a walk needs no earlier artifacts.
 */
export async function segmentsTo(ctx: Context, size: number): Promise<{ from: number; to: number }[]> {
  const segments: { from: number; to: number }[] = []
  for (let from = 0; from < size;) {
    const to = from + SEGMENT_MAX >= size ? size : await borderAfter(ctx, from, size)
    segments.push({ from, to })
    from = to
  }
  return segments
}

/** The last checkpoint within the length of a segment, else the next one. */
async function borderAfter(ctx: Context, from: number, size: number): Promise<number> {
  const { pk, sk: after } = checkpointKey(ctx.space, from)
  const { sk: last } = checkpointKey(ctx.space, from + SEGMENT_MAX)
  const within = { pk, from: `${after}~`, to: last, descending: true, limit: 1 }
  const [farthest] = await ctx.table.keys(within)
  const [next] = farthest ? [farthest] : await ctx.table.keys({ pk, after, to: `${CHECKPOINT_PREFIX}~`, limit: 1 })
  return Math.min(size, next ? Number(next.sk.slice(CHECKPOINT_PREFIX.length)) : size)
}
