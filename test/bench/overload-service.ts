// The local service in a process of its own, for the load of `overload.ts`: prints its address and a key of each tenant.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workers } from '../../functions/workers.ts'
import { machineClock } from '../../infra/local/clock.ts'
import { loadAll } from '../../infra/local/lambda.ts'
import { startStack } from '../../infra/local/stack.ts'
import { LIMITS, Turns } from '../../infra/local/turns.ts'
import { SURFACE } from '../../infra/surface.ts'
import type { TenantCredentials } from '../../shared/identity/tenants/bootstrap.ts'

/** Enough that no tenant's rate is what bites. */
const TENANTS = 8

process.env.LOG_LEVEL = 'off'
const unbounded = process.argv.includes('unbounded')
const directory = mkdtempSync(join(tmpdir(), 'countersign-overload-'))
const stack = await startStack({
  directory,
  apiPort: 0,
  appPort: 0,
  speed: 1,
  clock: machineClock,
  onError: () => undefined,
  ...(!unbounded && { turns: new Turns(LIMITS) }),
})
await loadAll([...SURFACE.routes, ...SURFACE.workers])
const keys: string[] = []
for (let index = 0; index < TENANTS; index += 1) {
  const name = `load-${index}`
  const people = { owner_email: `owner@${name}.example`, approver_email: `approver@${name}.example` }
  const founded = await stack.invoke(workers.createTenant, { name, plan: 'enterprise', ...people })
  keys.push((founded as TenantCredentials).live_key) // the worker's reply
}
stack.workers.run()
process.on('message', async () => {
  await stack.stop()
  rmSync(directory, { recursive: true })
  process.exit()
})
process.send?.({ url: stack.apiUrl, keys })
