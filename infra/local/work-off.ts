// Processes work until none is left, so that tests see all effects.
import type { Work } from './pump.ts'

/** Consecutive failures after which a work is given up. */
const TRIES = 3

/**
 * Repeats each work until it has nothing left, and all of them as long as one had something. False when none had anything.
 * At the end throws the first error.
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
