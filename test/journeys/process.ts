// Starts the processes of a journey and waits for what they report. Nothing is polled by the clock: a wait ends with the
// line that it waits for, or when the process ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type Running<L> = {
  child: ChildProcess
  lines: L[]
  /** The first line, past or future, that fits; rejects when the process ends without one. */
  until: <M extends L>(fits: (line: L) => line is M) => Promise<M>
  /** All lines so far and those to come fit the count. */
  count: (fits: (line: L) => boolean, wanted: number) => Promise<void>
  kill: (signal?: NodeJS.Signals) => Promise<void>
}

/** Output lines go through `parse`; its undefined is no line. */
export function run<L>(
  args: string[],
  parse: (text: string) => L | undefined,
  env: NodeJS.ProcessEnv = {},
): Running<L> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const lines: L[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const check of waiting) check()
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void ended.then(wake)
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = parse(text)
    if (line === undefined) return
    lines.push(line)
    wake()
  })
  const when = <R>(look: () => R | undefined) =>
    new Promise<R>((resolve, reject) => {
      const check = () => {
        const found = look()
        if (found === undefined && child.exitCode === null && child.signalCode === null) return
        waiting.delete(check)
        if (found === undefined) reject(new Error(`${args[0]} ended; it said ${JSON.stringify(lines.slice(-5))}`))
        else resolve(found)
      }
      waiting.add(check)
      check()
    })
  return {
    child,
    lines,
    until: (fits) => when(() => lines.find(fits)),
    count: async (fits, wanted) => {
      await when(() => (lines.filter(fits).length >= wanted ? true : undefined))
    },
    kill: async (signal = 'SIGTERM') => {
      child.stdin?.end()
      child.kill(signal)
      await ended
    },
  }
}
