// `npm run check`: static checks of the sources, in seconds and without a network.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { routes } from '../functions/api.ts'
import { readPages } from '../test/architecture/support/documents.ts'
import { houseOfSources, tableOf } from '../test/architecture/support/house.ts'
import { largeFile, largeFunctions } from '../test/architecture/support/size.ts'
import { readSources, ROOT } from '../test/architecture/support/source.ts'
import { readSpecification, unserved } from '../test/architecture/support/specification.ts'

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', '--reporter', 'dot']

// The compiler and the linter are Go programs. By default they spend a third of their CPU on garbage collection and threads
// that repeat work, while the steps already run in parallel.
const THRIFTY = { GOGC: '400', GOMAXPROCS: '1' }

const STEPS: Record<string, [command: string, ...args: string[]]> = {
  types: ['node_modules/.bin/tsc', '--noEmit', '--checkers', '1'],
  lint: ['node_modules/.bin/oxlint', '--type-aware', '--report-unused-disable-directives', '--format', 'unix'],
  format: ['node_modules/.bin/oxfmt', '--check'],
  architecture: [process.execPath, ...VITEST, '--maxWorkers', '1', 'test/architecture'],
}

/** Prints the findings of a step; true when there are none. */
async function passes(name: string, [command, ...args]: (typeof STEPS)[string]): Promise<boolean> {
  const from = performance.now()
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...THRIFTY, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const seconds = ((performance.now() - from) / 1_000).toFixed(1)
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
  if (code !== 0) console.log(`${output}${errors}`)
  return code === 0
}

/** For information only: large files and missing endpoints do not fail the check. */
function report(title: string, lines: readonly string[]): void {
  console.log(`\n${title}: ${lines.length || 'none'}`)
  for (const line of lines) console.log(`  ${line}`)
}

const results = await Promise.all(Object.entries(STEPS).map(([name, step]) => passes(name, step)))
const sources = readSources()
report('Larger than the guidance', [...sources.flatMap(largeFile), ...sources.flatMap(largeFunctions)])
report('Specified and not served', unserved(readSpecification(), routes))
if (process.argv.includes('--house')) report('The house', tableOf(houseOfSources(sources, readPages())))
if (results.includes(false)) process.exitCode = 1
