import { conflict, Failure } from '../lib/failure.ts'
import { ConditionFailed } from './table.ts'

const TRIES = 4

/** Thrown by a commit when a resource was changed since it was read. */
export class Overtaken extends Failure {
  constructor() {
    super('conflict', 'The resource was changed by another request. Repeat your request.')
  }
}

/**
 * Runs a change that reads before it writes. After a concurrent change it runs again, at most four times; then it throws
 * 409.
 */
export async function retryWhenOvertaken<T>(run: () => Promise<T>): Promise<T> {
  for (let left = TRIES; left > 1; left -= 1) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof Overtaken || error instanceof ConditionFailed)) throw error
    }
  }
  return run().catch((error: unknown) => {
    throw error instanceof ConditionFailed
      ? conflict('The resource was changed by another request. Repeat your request.')
      : error
  })
}
