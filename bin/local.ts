// `npm start`: the whole service on this machine. Settings: COUNTERSIGN_DATA_DIR, API_PORT, APP_PORT, COUNTERSIGN_SPEED,
// COUNTERSIGN_DOCS.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { machineClock } from '../infra/local/clock.ts'
import { foundTenant, registerDemo } from '../infra/local/first-start.ts'
import { greeting } from '../infra/local/greeting.ts'
import { loadAll } from '../infra/local/lambda.ts'
import { explain, readSettings } from '../infra/local/settings.ts'
import { type Stack, startStack } from '../infra/local/stack.ts'
import { writeApart } from '../infra/local/write-apart.ts'
import { LIMITS, Turns } from '../infra/local/turns.ts'
import { SURFACE } from '../infra/surface.ts'

process.env.LOG_LEVEL ??= 'warn'
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/countersign', import.meta.url)))

await import('../infra/local/resolve-sources.ts') // before the functions, which are loaded at the start

const PARENT_EVERY_MS = 500
/** Long enough to read what was printed: nobody opens the pages of the documentation sooner. */
const DOCS_AFTER_MS = 3_000
const report = (error: unknown) => console.error(error)

async function main(): Promise<void> {
  const { shownDirectory, docsAhead, ...settings } = readSettings(process.env)
  const { speed } = settings
  const options = { clock: machineClock, onError: report, turns: new Turns(LIMITS), writeAsset: writeApart }
  const stack = await startStack({ ...settings, ...options })
  stopOnSignals(stack)
  // Loads all functions first: on a busy machine a first call that loads its function could miss an SDK deadline.
  for (const error of await loadAll([...SURFACE.routes, ...SURFACE.workers])) report(error)
  const { credentials, first } = await foundTenant(stack)
  if (first) await registerDemo(credentials).catch(report)
  stack.workers.run()
  const startedMs = Math.round(performance.now())
  console.log(greeting({ credentials, first, directory: shownDirectory, speed, startedMs }))
  if (docsAhead) makeDocs(stack)
}

/** Makes the OpenAPI document at once, since programs ask for it first, and the pages after it. */
function makeDocs({ assets }: Stack): void {
  const pages = () => setTimeout(() => void assets('docs.json').catch(report), DOCS_AFTER_MS).unref()
  void assets('openapi.json').catch(report).then(pages)
}

/** Stops only once, because a Ctrl-C arrives twice: from the terminal and from npm. */
function stopOnSignals(stack: Stack): void {
  let stopping: Promise<void> | undefined
  const end = async (code: number) => {
    await stack.stop().catch(report)
    process.exit(code)
  }
  const stop = (code: number) => (stopping ??= end(code))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0))
  if (process.env.npm_lifecycle_event === 'start') whenParentEnds(() => void stop(0))
  void stack.died.then(() => {
    console.error('The local DynamoDB ended; stopping.')
    return stop(1)
  })
}

/** Polls for the parent, because a killed npm sends no signal. */
function whenParentEnds(stop: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop(), PARENT_EVERY_MS).unref()
}

await main().catch((error: unknown) => {
  console.error(explain(error, process.env))
  process.exit(1)
})
