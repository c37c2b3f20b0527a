// What a worker does with a job beside training it: signs of life, progress, and its end.
import type { Context } from '../../base/context.ts'
import { lease } from '../../base/kernel/lease.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { unlessOvertaken } from '../../base/kernel/retry.ts'
import { type Job, jobs, HEARTBEAT_MS, logged } from './job.ts'
import { type Change, moveJob } from './move-job.ts'

/** Somebody asked for the end of the job, or another worker has ended it. */
export class Stopped extends Error {}

export const turns = lease(jobs, HEARTBEAT_MS, {
  of: ({ due_at }) => due_at,
  until: (end) => ({ due_at: iso(end) }),
})

export const lifeline = (ctx: Context) => ({ heartbeat_at: iso(ctx.now()), ...turns.until(ctx.now()) })

/** Keeps the job as it is stored while one worker trains it. */
export class Worker {
  readonly #ctx: Context
  #job: Stored<Job>

  constructor(ctx: Context, job: Stored<Job>) {
    this.#ctx = ctx
    this.#job = job
  }

  get job(): Stored<Job> {
    return this.#job
  }

  /** Throws `Stopped` when the job was changed meanwhile, which only a cancellation or the sweeper does. */
  async beat(progress: number, stage: string, message?: string): Promise<void> {
    const was = this.#job
    const heartbeat_at = iso(this.#ctx.now())
    const logs = message === undefined ? was.logs : logged(was.logs, heartbeat_at, 'info', message)
    this.#job = await unlessStopped(turns.renew(this.#ctx, was, { heartbeat_at, progress, stage, logs }))
  }

  async move(change: Change, beside?: Parameters<typeof moveJob>[3]): Promise<void> {
    this.#job = await unlessStopped(moveJob(this.#ctx, this.#job, change, beside))
  }
}

async function unlessStopped(change: Promise<Stored<Job>>): Promise<Stored<Job>> {
  const job = await unlessOvertaken(change)
  if (!job) throw new Stopped()
  return job
}
