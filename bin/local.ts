// `npm start`: the whole service on this machine. Settings: COUNTERSIGN_DATA_DIR, API_PORT, APP_PORT, COUNTERSIGN_SPEED.
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { machineClock } from '../infra/local/clock.ts'
import { DirectoryInUse } from '../infra/local/disk.ts'
import { foundTenant, registerDemo } from '../infra/local/first-start.ts'
import { greeting } from '../infra/local/greeting.ts'
import { loadAll } from '../infra/local/lambda.ts'
import { type Stack, startStack } from '../infra/local/stack.ts'
import { SURFACE } from '../infra/surface.ts'

const {
  COUNTERSIGN_DATA_DIR = '.countersign',
  COUNTERSIGN_SPEED = '1',
  API_PORT = '8787',
  APP_PORT = '8788',
} = process.env
process.env.LOG_LEVEL ??= 'warn'
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/countersign', import.meta.url)))

const PARENT_EVERY_MS = 500
const report = (error: unknown) => console.error(error)

async function main(): Promise<void> {
  const speed = Number(COUNTERSIGN_SPEED)
  if (!(speed > 0)) throw new Error('COUNTERSIGN_SPEED must be a number above 0')
  const directory = resolve(COUNTERSIGN_DATA_DIR)
  const stack = await startStack({
    directory,
    apiPort: Number(API_PORT),
    appPort: Number(APP_PORT),
    speed,
    clock: machineClock,
    onError: report,
  })
  stopOnSignals(stack)
  // A first call that has to load its function could miss a deadline of the SDK on a busy machine.
  for (const error of await loadAll([...SURFACE.routes, ...SURFACE.workers])) report(error)
  const { credentials, first } = await foundTenant(stack)
  if (first) await registerDemo(credentials).catch(report)
  stack.workers.run()
  const startedMs = Math.round(performance.now())
  console.log(greeting({ credentials, first, directory: COUNTERSIGN_DATA_DIR, speed, startedMs }))
}

/** Ends once, however often it is asked to: npm passes on a Ctrl-C that the terminal has sent us, too. */
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

/** An npm that was killed could not tell us. */
function whenParentEnds(stop: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop(), PARENT_EVERY_MS).unref()
}

function explain(error: unknown): string {
  if (error instanceof DirectoryInUse) return `Countersign is already running on ${resolve(COUNTERSIGN_DATA_DIR)}.`
  if (!(error instanceof Error)) return String(error)
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is taken; set API_PORT or APP_PORT to another one (0: any free one).`
  return error.stack ?? error.message
}

await main().catch((error: unknown) => {
  console.error(explain(error))
  process.exit(1)
})
