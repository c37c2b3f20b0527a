// What a worker does with a job beside training it: signs of life, progress, and its end.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/table/retry.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { type Job, jobs, HEARTBEAT_MS, logged } from './job.ts'
import { type Change, moveJob } from './move-job.ts'

/** Somebody asked for the end of the job, or another worker has ended it. */
export class Stopped extends Error {}

export const lifeline = (ctx: Context) => ({
  heartbeat_at: iso(ctx.now()),
  due_at: iso(ctx.now() + HEARTBEAT_MS),
})

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
    const signs = lifeline(this.#ctx)
    const logs = message === undefined ? was.logs : logged(was.logs, signs.heartbeat_at, 'info', message)
    const next = { ...was, ...signs, progress, stage, logs }
    try {
      await this.#ctx.table.commit([jobs.replace(next, was)])
      this.#job = { ...next, _v: was._v + 1 }
    } catch (error) {
      throw error instanceof ConditionFailed ? new Stopped() : error
    }
  }

  async move(change: Change, beside?: Parameters<typeof moveJob>[3]): Promise<void> {
    try {
      this.#job = await moveJob(this.#ctx, this.#job, change, beside)
    } catch (error) {
      throw error instanceof Overtaken ? new Stopped() : error
    }
  }
}
