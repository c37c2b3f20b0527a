// Requests a run of checks, and keeps the queue of a space: the open run, the one that follows it, and how many manual runs were
// requested within the hour.
import type { Context } from '../../base/context.ts'
import { HOUR_MS, iso } from '../../base/lib/clock.ts'
import { warn } from '../../base/lib/log.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { catalogueHash } from '../catalogue/catalogue.ts'
import { enqueueRun } from './enqueue.ts'
import {
  type CheckRun,
  checkRuns,
  isOpen,
  type RunAsk,
  type RunQueue,
  runQueues,
  type RunScope,
  type RunTrigger,
} from './run.ts'
import { Failure } from '../../base/lib/failure.ts'

type Asked = Pick<RunAsk, 'trigger' | 'id'> & { scope: RunScope; export_id?: string }

/** `run` is the open one, which may be one that was asked for before. */
export type RequestedRun = {
  run: CheckRun
  writes: Write[]
  /** After the commit. Never throws: the sweeper sends a message that was lost. */
  enqueue: () => Promise<void>
}

/** How long the first message may take to start a run. */
const FIRST_TRY_MS = 60_000

/**
 * Requests a run as part of the caller's commit, inside `retryWhenChanged`. There is one open run at a time: requests that come
 * meanwhile are merged into one run that follows it, except for a manual request, which gets the open one. Throws 429 for too
 * many manual ones.
 */
export async function requestRun(ctx: Context, asked: Asked): Promise<RequestedRun> {
  const { trigger, scope, id, export_id } = asked
  const [queue, done] = await Promise.all([ctx.table.get(runQueues, ctx.space), runOf(ctx, id)])
  if (done) return { ...NOTHING, run: done }
  const open = await runOf(ctx, queue?.open)
  const requested_by = { type: ctx.principal.kind, id: ctx.principal.id }
  const ask: RunAsk = { trigger, scope, id, requested_by, export_ids: export_id === undefined ? [] : [export_id] }
  if (queue && open && isOpen(open)) {
    if (trigger === 'manual') return { ...NOTHING, run: open }
    const next = merged(queue.next, ask)
    return { ...NOTHING, run: open, writes: [runQueues.replace({ ...queue, next }, queue, new ChangedMeanwhile())] }
  }
  const manual_at = queue?.manual_at ?? []
  const next = { manual_at: trigger === 'manual' ? countManual(manual_at, ctx.now()) : manual_at }
  return startedRun(ctx, { ask: queue?.next ? merged(queue.next, ask) : ask, queue, next })
}

const NOTHING = { writes: [], enqueue: async () => {} }

/** Queued or running. */
export async function openRun(ctx: Context): Promise<CheckRun | undefined> {
  const queue = await ctx.table.get(runQueues, ctx.space)
  const run = await runOf(ctx, queue?.open)
  return run && isOpen(run) ? run : undefined
}

const runOf = async ({ table, space }: Context, id: string | undefined) =>
  id === undefined ? undefined : table.get(checkRuns, { ...space, id })

type Start = { ask: RunAsk; queue: Stored<RunQueue> | undefined; next: Pick<RunQueue, 'manual_at'> }

/** The writes of a new run, which becomes the open one. */
export function startedRun(ctx: Context, { ask: { id, ...ask }, queue, next }: Start): RequestedRun {
  const run: CheckRun = {
    ...ctx.space,
    ...ask,
    id: id ?? ctx.id('run'),
    status: 'queued',
    requested_at: iso(ctx.now()),
    results: [],
    catalogue_hash: catalogueHash(),
    attempt: 0,
    due_at: iso(ctx.now() + FIRST_TRY_MS),
  }
  const open = { ...ctx.space, ...next, open: run.id }
  return {
    run,
    writes: [
      queue ? runQueues.replace(open, queue, new ChangedMeanwhile()) : runQueues.insert(open, new ChangedMeanwhile()),
      checkRuns.insert(run, new ChangedMeanwhile()),
    ],
    enqueue: () =>
      enqueueRun(ctx.space, run.id).catch((error: unknown) => warn('check_run_not_enqueued', error, { run: run.id })),
  }
}

export const MANUAL_PER_HOUR = 6

/** Throws 429 for one more than an hour allows. Returns what to keep of the last hour, with this one. */
function countManual(manual_at: readonly string[], now: number): string[] {
  const recent = manual_at.filter((at) => Date.parse(at) > now - HOUR_MS)
  const [first] = recent.slice(-MANUAL_PER_HOUR)
  if (first === undefined || recent.length < MANUAL_PER_HOUR) return [...recent, iso(now)]
  const seconds = Math.ceil((Date.parse(first) + HOUR_MS - now) / 1_000)
  throw new Failure(
    'rate_limited',
    `You can start ${MANUAL_PER_HOUR} runs of checks within an hour. Retry in ${seconds} seconds; the schedule runs all checks once a day.`,
    { retryAfterSeconds: seconds },
  )
}

/** The one run that does what two were asked for. */
function merged(was: RunAsk | undefined, ask: RunAsk): RunAsk {
  if (!was) return ask
  const first = rank(was.trigger) >= rank(ask.trigger) ? was : ask
  return {
    trigger: first.trigger,
    requested_by: first.requested_by,
    id: was.id ?? ask.id,
    scope: union(was.scope, ask.scope),
    export_ids: [...new Set([...was.export_ids, ...ask.export_ids])],
  }
}

/** When two requests are merged, the run has the trigger that is later in this list. */
const RANKS: readonly RunTrigger[] = ['schedule', 'evidence', 'manual', 'export', 'enable']
const rank = (trigger: RunTrigger): number => RANKS.indexOf(trigger)

/** Two that differ in any way but their ids become a full run: it costs little more. */
function union(a: RunScope, b: RunScope): RunScope {
  if (a === b) return a
  return typeof a === 'string' || typeof b === 'string' ? 'full' : [...new Set([...a, ...b])]
}
