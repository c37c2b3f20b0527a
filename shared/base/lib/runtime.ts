// What a process gets from its surroundings: clock, randomness, and the settings of the deployment.
import { type Clock, systemClock, systemRandom } from './clock.ts'
import type { RandomBytes } from './ids.ts'

/** The clock and source of randomness: real in AWS, virtual in tests. */
export type Runtime = { clock: Clock; random: RandomBytes }

/** The clock and randomness of this container. In a small file, for functions that need nothing else of a context. */
export const runtime: Runtime = { clock: systemClock, random: systemRandom }

/** A setting of the deployment; throws when it is missing. Settings are names and addresses, never secrets. */
export function env(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`environment variable ${name} is not set`)
  return value
}
