// Repeats changes that were overtaken by a concurrent change between their read and their commit.
import { Failure } from '../lib/failure.ts'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { ConditionFailed, Contended } from './table.ts'

const TRIES = 4

/** Whether the commit that failed so is certain to have written nothing. An answer that was lost may hide a success. */
export const wroteNothing = (error: unknown): boolean =>
  [Failure, ConditionFailed, Contended, TransactionCanceledException].some((kind) => error instanceof kind)

/** Thrown by a commit when a resource was changed since it was read. */
export class Overtaken extends Failure {
  constructor() {
    super('conflict', 'The resource was changed by another request. Repeat your request.')
  }
}

/** For a change that somebody else may make as well: undefined when they were faster, which is no failure. */
export async function unlessOvertaken<T>(change: Promise<T>): Promise<T | undefined> {
  try {
    return await change
  } catch (error) {
    if (error instanceof ConditionFailed || error instanceof Overtaken) return undefined
    throw error
  }
}

/**
 * Runs a change that reads before it writes. After a concurrent change it runs again, at most four times; then it throws
 * 409.
 */
export const retryWhenOvertaken = <T>(run: () => Promise<T>): Promise<T> =>
  retryChange(
    TRIES,
    () =>
      run().catch((error: unknown) => {
        throw error instanceof ConditionFailed ? new Overtaken() : error
      }),
    (error) => error instanceof Overtaken,
  )

/** Runs a change up to `tries` times, as long as it fails by a concurrent change. `attempt` counts from 1. */
export async function retryChange<T>(
  tries: number,
  run: (attempt: number) => Promise<T>,
  isOvertaken = (error: unknown): boolean => error instanceof ConditionFailed,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(attempt)
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt < tries) continue
      throw error instanceof ConditionFailed
        ? new Error(`gave up after ${tries} concurrent changes`, { cause: error })
        : error
    }
  }
}
