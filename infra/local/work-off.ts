// Work until there is none left, for tests: everything that was set off has happened when it returns.
import type { Work } from './pump.ts'

/** How often a work may fail in a row before it is left alone. */
const TRIES = 3

/**
 * Each work until it has nothing left, and all of them again as long as one had something. False when none had. Throws
 * the first error at the end, when all else is done.
 */
export async function workOff(works: readonly Work[]): Promise<boolean> {
  const errors: unknown[] = []
  let worked = false
  for (let busy = true; busy;) {
    busy = false
    for (const work of works) busy = (await repeat(work, errors)) || busy
    worked ||= busy
  }
  if (errors.length > 0) throw errors[0]
  return worked
}

async function repeat(work: Work, errors: unknown[]): Promise<boolean> {
  let worked = false
  for (let failures = 0; failures < TRIES;) {
    try {
      if (!(await work())) break
      worked = true
    } catch (error) {
      failures += 1
      errors.push(error)
    }
  }
  return worked
}
