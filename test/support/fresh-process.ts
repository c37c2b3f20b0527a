// Test files share processes, since a warm one runs them faster. Each file finds the process as if it were the first in it.
import { afterEach, expect } from 'vitest'
import { resetClients } from '../../shared/base/aws/clients.ts'
import { setRuntime } from '../../shared/base/context.ts'
import { systemClock, systemRandom } from '../../shared/base/lib/clock.ts'
import { coldStart } from '../../shared/base/lib/memory.ts'
import { setTransport } from '../../shared/base/lib/safe-http.ts'
import { runs } from './runs.ts'
import { forgetServerErrors, printServerErrors } from './server-errors.ts'
import { takeRefused } from './strict-expressions.ts'

/** What fast-check does of its own accord. */
const DEFAULT_RUNS = 100

const memory: { environment?: NodeJS.ProcessEnv } = ((globalThis as { __tests?: object }).__tests ??= {})

memory.environment ??= { ...process.env }
for (const name of Object.keys(process.env)) if (!(name in memory.environment)) delete process.env[name]
Object.assign(process.env, memory.environment)
coldStart()
resetClients()
setTransport()
setRuntime({ clock: systemClock, random: systemRandom })
printServerErrors()
if (process.env.RUNS) (await import('fast-check')).configureGlobal(runs(DEFAULT_RUNS))
afterEach(forgetServerErrors)

/** Also where the refusal was survived, as an outage of a counter is. */
afterEach(() => expect(takeRefused(), 'expressions that DynamoDB would refuse').toEqual([]))
