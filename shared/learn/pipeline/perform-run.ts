// Goes on with a run, stage by stage. One worker at a time; what waits for another worker is looked at again a minute later.
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../base/context.ts'
import { workLease } from '../../base/kernel/lease.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import type { AffectedNodes } from '../../base/ports/effects.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { isFirst, ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { isOpenRun, moveRun, touchRun, pipelineHeads, type PipelineRun, pipelineRuns, type Stage } from './run.ts'
import { STAGE } from './stages.ts'

/** Longer than the worker runs. */
const turns = /* @__PURE__ */ workLease(pipelineRuns, 16 * 60_000, 3)
const AGAIN_MS = 60_000

export async function performRun(ctx: Context, id: string, affectedNodes: AffectedNodes): Promise<void> {
  let run = await claim(ctx, id)
  while (run) {
    const next = run.stages.find(({ status }) => status === 'waiting' || status === 'running')
    if (!next) return end(ctx, run)
    run = await advance(ctx, run, next, affectedNodes)
  }
}

/** Undefined when the run is over, another worker has it, or it was given up. */
async function claim(ctx: Context, id: string): Promise<Stored<PipelineRun> | undefined> {
  const was = await ctx.table.get(pipelineRuns, { ...ctx.space, id })
  if (!was || !isOpenRun(was)) return undefined
  if (turns.isHeld(was, ctx.now())) return undefined
  if (turns.isSpent(was)) {
    alarm('pipeline_failed', new Error('a run of the pipeline could not be finished'), { run: id })
    await end(ctx, was, 'failed')
    return undefined
  }
  return turns.take(ctx, was, { status: 'running', updated_at: iso(ctx.now()) }, (next) => storing(ctx, was, next))
}

/** Undefined when somebody else has changed it, or it waits. */
async function advance(ctx: Context, was: Stored<PipelineRun>, stage: Stage, affectedNodes: AffectedNodes) {
  const started_at = stage.started_at ?? iso(ctx.now())
  const change = await outcomeOf(ctx, was, stage, affectedNodes)
  const isWaiting = change.status === 'running'
  const done: Stage = { ...stage, started_at, ...change, finished_at: isWaiting ? null : iso(ctx.now()) }
  const next: PipelineRun = {
    ...was,
    stages: was.stages.map((one) => (one.name === stage.name ? done : one)),
    updated_at: iso(ctx.now()),
    ...(isWaiting ? turns.waiting(ctx.now() + AGAIN_MS) : turns.until(ctx.now())),
  }
  const isStored = await isFirst(ctx.table.commit(storing(ctx, was, next)))
  return isWaiting || !isStored ? undefined : { ...next, _v: was._v + 1 }
}

type Change = Pick<Stage, 'status' | 'output' | 'error'>

/** An error that the tenant caused fails the stage; the others go on. */
async function outcomeOf(ctx: Context, run: PipelineRun, stage: Stage, affectedNodes: AffectedNodes): Promise<Change> {
  try {
    const { status, output } = await STAGE[stage.name](ctx, { run, output: stage.output ?? {}, affectedNodes })
    return { status: status === 'wait' ? 'running' : status, output, error: null }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return {
      status: 'failed',
      output: stage.output,
      error: { code: error.options.code ?? error.kind, message: error.message },
    }
  }
}

function storing(ctx: Context, was: Stored<PipelineRun>, next: PipelineRun): Write[] {
  if (was.status === next.status) return [touchRun(was, next).write]
  const { write, transition } = moveRun(ctx, was, next.status, next)
  return [write, ...commitWith(ctx, [transition])]
}

const statusOf = (stages: readonly Stage[]): 'succeeded' | 'partial' | 'failed' => {
  if (stages.every(({ status }) => status === 'failed')) return 'failed'
  return stages.some(({ status }) => status === 'failed' || status === 'skipped') ? 'partial' : 'succeeded'
}

const end = (ctx: Context, was: Stored<PipelineRun>, status = statusOf(was.stages)): Promise<void> =>
  retryWhenChanged(async () => {
    const { write, transition } = moveRun(ctx, was, status, { updated_at: iso(ctx.now()), due_at: undefined })
    await ctx.table.commit([write, ...commitWith(ctx, [transition]), ...(await freed(ctx, was.id))])
  })

async function freed({ table, space }: Context, id: string): Promise<Write[]> {
  const head = await table.get(pipelineHeads, space)
  return head?.open === id ? [pipelineHeads.replace({ ...head, open: undefined }, head, new ChangedMeanwhile())] : []
}
