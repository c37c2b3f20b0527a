// The answer 500 keeps its cause from clients. Tests print it, unless they expect such an answer.
import { onAlarm } from '../../shared/base/lib/log.ts'

/** Thrown by a stand-in that fails on purpose. */
export class Injected extends Error {}

let expected = false
const printed = new Set<string>()

/** From here to its end the test expects answers 500: their causes are not printed. */
export function expectServerErrors(): void {
  expected = true
}

/** Prints the cause of each answer 500 once, with its stack. */
export function printServerErrors(): void {
  onAlarm((event, error, { route, status }) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (event !== 'request_failed' || status !== 500 || expected || error instanceof Injected || printed.has(text))
      return
    printed.add(text)
    console.error(`500 from ${route}:`, error)
  })
}

/** Each test begins by expecting none. */
export function forgetServerErrors(): void {
  expected = false
  printed.clear()
}
