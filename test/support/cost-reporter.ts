// Prints at the end of a whole run its slowest files and its CPU time, and fails it in CI when that is too much.
import { writeSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { cpuSeconds, slowest, type Timed, verdict, yardstick } from './cost.ts'

/** A run of fewer files is one of somebody who looks for something else. */
const WHOLE_RUN = 100
const STDOUT = 1

const print = (...lines: string[]) => writeSync(STDOUT, `${lines.join('\n')}\n`) // at the end of a process nothing else is sure to be written

/** The files to name; nothing where a part of the tests was run. */
const timesOf = (modules: readonly TestModule[]): Timed[] =>
  modules.length < WHOLE_RUN
    ? []
    : modules.map((module) => ({
        path: relative(module.project.config.root, module.moduleId),
        ms: module.diagnostic().duration,
      }))

export class CostReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const times = timesOf(modules)
    if (times.length === 0) return
    print('', 'Slowest files:', ...slowest(times))
    // Only then have the processes of the tests ended, so that theirs is counted.
    process.once('exit', () => {
      const seconds = cpuSeconds()
      if (seconds === undefined) return
      const { line, tooMuch } = verdict(seconds, yardstick(), process.env.CI === 'true')
      print('', line)
      if (tooMuch) process.exitCode = 1
    })
  }
}
