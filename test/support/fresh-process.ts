// Unit tests share processes, since starting one costs more than most of them. Each file finds the process as if it were
// the first in it: what files before it set is undone here; what modules remember, the files' own set-up forgets.
import { resetClients } from '../../shared/aws/clients.ts'
import { setRuntime } from '../../shared/context.ts'
import { systemClock, systemRandom } from '../../shared/lib/clock.ts'

const memory: { environment?: NodeJS.ProcessEnv } = ((globalThis as { __tests?: object }).__tests ??= {})

memory.environment ??= { ...process.env }
for (const name of Object.keys(process.env)) if (!(name in memory.environment)) delete process.env[name]
Object.assign(process.env, memory.environment)
resetClients()
setRuntime({ clock: systemClock, random: systemRandom })
