// What a run of the tests costs: CPU time as the kernel counted it, so that a busy machine makes no difference.
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/** In CI, `npm test` fails above this. */
export const CPU_SECONDS_MAX = 14 * 60

/** In clock ticks: 100 a second on every Linux that Node runs on. */
const TICKS = 100
const STAT = '/proc/self/stat'

/** User and system time of a process and of all its children that have ended, from its line in `/proc`. */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // the name in front may hold blanks
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS
}

/** Undefined where the system does not count children (other than Linux). */
export const cpuSeconds = (): number | undefined =>
  existsSync(STAT) ? cpuSecondsIn(readFileSync(STAT, 'utf8')) : undefined

const SAMPLE = { rows: Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}`, of: { id, part: id % 7 } })) }

/** CPU seconds of a fixed small computation: JSON and SHA-256, of which the tests do a lot. The least of three, since the first one warms up. */
export function yardstick(): number {
  const tries = Array.from({ length: 3 }, () => {
    const from = process.cpuUsage()
    let text = ''
    for (let at = 0; at < 2_000; at += 1)
      text = hash('sha256', JSON.stringify(JSON.parse(JSON.stringify({ ...SAMPLE, text }))))
    const { user, system } = process.cpuUsage(from)
    return (user + system) / 1_000_000
  })
  return Math.min(...tries)
}

export type Timed = { path: string; ms: number }

/** The slowest files, a line each. */
export const slowest = (files: readonly Timed[], count = 10): string[] =>
  files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ path, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${path}`)

/** What is said of the CPU time of a whole run; `tooMuch` only in CI, where it fails the run. */
export function verdict(seconds: number, measure: number, isCi: boolean, max = CPU_SECONDS_MAX) {
  const minutes = (of: number) => `${(of / 60).toFixed(1)} CPU min`
  const line = `${minutes(seconds)} (${seconds.toFixed(0)} s; the fixed computation took ${measure.toFixed(2)} s)`
  const tooMuch = isCi && seconds > max
  return { tooMuch, line: tooMuch ? `${line}: more than ${minutes(max)}` : line }
}
