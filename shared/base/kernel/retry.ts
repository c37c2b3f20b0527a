// The one way to run something again after it has failed, with the reasons to do so and to stop.
//
//   await retry(() => commit(was), [{ is: (error) => error instanceof Contended, tries: 8, pause: () => jitter(ctx, 40) }])
//
// Each run reads again everything that its commit relies on, since another process has changed some of it. Calls of AWS and of other
// services are no part of this: their clients repeat them, and a webhook by its published schedule.
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { Failure } from '../lib/failure.ts'
import { ConditionFailed, Contended } from '../table/table.ts'

const TRIES = 4

/** Whether the commit that failed so is certain to have written nothing. An answer that was lost may hide a success. */
export const wroteNothing = (error: unknown): boolean =>
  [Failure, ConditionFailed, Contended, TransactionCanceledException].some((kind) => error instanceof kind)

/** Thrown by a commit when a resource was changed since it was read. */
export class ChangedMeanwhile extends Failure {
  constructor() {
    super('conflict', 'The resource was changed by another request. Repeat your request.')
  }
}

/**
 * One kind of failure after which a change runs again. It stops when it has met this kind `tries` times, and then throws `spent`, or
 * the last error. `pause` waits before it runs again; `met` counts from 1.
 */
export type Reason = {
  is: (error: unknown) => boolean
  tries: number
  pause?: (met: number) => Promise<void>
  spent?: (last: unknown) => unknown
}

/**
 * Runs until it succeeds or has a reason to stop: an error that is none of `reasons`, which is thrown as it is, or one that it has met
 * too often. Each reason counts by itself. `attempt` counts from 1; an earlier attempt that died may have committed all the same.
 */
export async function retry<T>(run: (attempt: number) => Promise<T>, reasons: readonly Reason[]): Promise<T> {
  const met = new Map<Reason, number>()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(attempt)
    } catch (error) {
      const reason = reasons.find(({ is }) => is(error))
      if (!reason) throw error
      const times = (met.get(reason) ?? 0) + 1
      met.set(reason, times)
      if (times >= reason.tries) throw reason.spent ? reason.spent(error) : error
      await reason.pause?.(times)
    }
  }
}

type Waiting = { clock: { sleep: (ms: number) => Promise<void> }; random: (size: number) => Uint8Array }

/** Waits for a random part of `ms`, so that those who met do not meet again. */
export const jitter = ({ clock, random }: Waiting, ms: number): Promise<void> =>
  clock.sleep(((random(1)[0] ?? 0) / 256) * ms)

/**
 * Runs a change that reads before it writes. After a concurrent change it runs again, at most four times; then it throws
 * 409.
 */
export const retryWhenChanged = <T>(run: () => Promise<T>): Promise<T> =>
  retry(run, [
    {
      is: isOvertaken,
      tries: TRIES,
      spent: (last) => (last instanceof ChangedMeanwhile ? last : new ChangedMeanwhile()),
    },
  ])

/** Runs a change up to `tries` times, as long as a condition of its commit fails. For work that no caller waits for. */
export const retryChange = <T>(
  tries: number,
  run: (attempt: number) => Promise<T>,
  pause?: Reason['pause'],
): Promise<T> => {
  const spent = (cause: unknown) => new Error(`gave up after ${tries} concurrent changes`, { cause })
  return retry(run, [{ is: (error) => error instanceof ConditionFailed, tries, ...(pause && { pause }), spent }])
}

/**
 * For a change that another process may make as well: undefined when it was faster, which is no failure. Not inside
 * `retryWhenChanged`, from which it would hide that something has changed.
 */
export async function unlessChangedMeanwhile<T>(change: Promise<T>): Promise<T | undefined> {
  try {
    return await change
  } catch (error) {
    if (isOvertaken(error)) return undefined
    throw error
  }
}

/** Whether this commit was the one that happened: false when another process was faster. */
export const isFirst = async (commit: Promise<void>): Promise<boolean> =>
  (await unlessChangedMeanwhile(commit.then(() => true))) ?? false

const isOvertaken = (error: unknown): boolean => error instanceof ConditionFailed || error instanceof ChangedMeanwhile
