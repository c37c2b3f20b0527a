// The local service inside a test process: the same stand-ins and handlers as `npm start`, on free ports and a temporary
// directory, with a clock that the test moves. Nothing happens behind a test's back: see `drain`.
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workers } from '../../functions/workers.ts'
import { setPasswordCost } from '../../infra/local/cognito/passwords.ts'
import { type Stack, startStack } from '../../infra/local/stack.ts'
import { type ClientPlugin, resetClients } from '../../shared/base/aws/clients.ts'
import { openTable, setRuntime } from '../../shared/base/context.ts'
import { coldStart } from '../../shared/base/lib/memory.ts'
import type { Plan } from '../../shared/base/limits/plans.ts'
import type { AgreedQuotas } from '../../shared/base/tenant/tenant.ts'
import type { TenantCredentials } from '../../shared/identity/tenants/bootstrap.ts'
import { type Call, caller } from './call.ts'
import { endTenants } from './end-tenants.ts'
import { giveKeys, keepKeys } from './kept-keys.ts'
import { memoryDatabase } from './memory-database.ts'
import { strictClients } from './strict-expressions.ts'
import { type TestClock, testClock } from './test-clock.ts'
import { unsignedClients } from './unsigned.ts'
import { withoutNetwork } from './without-network.ts'

/** Who can sign in with it, in every test tenant. */
export const PASSWORD = 'correct horse battery staple'

export type TestTenant = TenantCredentials & {
  /** With the owner's live key, unless the input names another one. */
  call: Call
  /** The same tenant with another of its credentials, or with any other key or token. */
  as: (who: 'approver' | 'sandbox' | { key: string }) => { call: Call }
}

export type Wanted = {
  plan?: Plan | undefined
  quotas?: AgreedQuotas | undefined
  /**
   * False, so that keys decide, unless a test is about who decides: null founds the tenant as the service does. Else what was rejected may
   * also be asked for again at once.
   */
  require_human_approver?: boolean | null
}

export type LocalStack = Pick<Stack, 'apiUrl' | 'appUrl' | 'kms' | 'queues' | 'invoke' | 'connect' | 'providers'> & {
  clock: TestClock
  directory: string
  /** Without a credential, unless the input names one. */
  call: Call
  /** A fresh tenant with two people and keys for both modes. */
  tenant: (options?: Wanted) => Promise<TestTenant>
  /** Ends the tenants that were founded since the last call, unless the database is the embedded server. */
  endFounded: () => void
  /** Keeps the tenants that were founded since the last call until the stack ends. */
  keepFounded: () => void
  /** Works off stream, queues and state machines up to their next wait. Throws what a worker threw. */
  drain: () => Promise<void>
  /** Moves the clock, stopping at each retry that falls due; drains. */
  advance: (ms: number) => Promise<void>
  /** What happens each minute; drains. */
  sweep: () => Promise<void>
  stop: () => Promise<void>
}

export type LocalStackOptions = {
  clock?: TestClock
  speed?: number
  /** On the embedded server, as `npm start` does, instead of the in-memory table. */
  embedded?: boolean
  /** An existing data directory, which is then kept. */
  directory?: string
  /** Added to the SDK clients of the functions. */
  plugins?: ClientPlugin[]
}

/** `TEST_DATABASE=embedded npm test` holds the in-memory table to what the server of `npm start` does. */
const ALL_EMBEDDED = process.env.TEST_DATABASE === 'embedded'

const MEMORY = '/dev/shm'
const GIGABYTE = 2 ** 30

/** In memory where a file system offers plenty: nobody reads this data after a crash, so no disk need wait for it. */
function parentDirectory(): string {
  const { bavail = 0, bsize = 0 } = existsSync(MEMORY) ? statfsSync(MEMORY) : {}
  return bavail * bsize > GIGABYTE ? MEMORY : tmpdir()
}

/** One at a time per process: its functions read the process's environment. */
export async function startLocalStack(options: LocalStackOptions = {}): Promise<LocalStack> {
  const { clock = testClock(), speed = 1 } = options
  process.env.LOG_LEVEL ??= 'off'
  const memory = options.embedded || ALL_EMBEDDED ? undefined : memoryDatabase(clock.now)
  const transport = memory ? [memory.plugin, withoutNetwork(() => stack.aws)] : [strictClients]
  resetClients([...transport, unsignedClients, ...(options.plugins ?? [])])
  setPasswordCost(16)
  coldStart()
  setRuntime({ clock })
  const directory = options.directory ?? mkdtempSync(join(parentDirectory(), 'countersign-'))
  if (!options.directory) giveKeys(directory)
  const ports = { apiPort: 0, appPort: 0 }
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const database = memory && { database: memory.open }
  const stack = await startStack({ directory, ...ports, speed, clock, wait: clock.wait, onError, ...database })
  if (!options.directory) await walkedUntil(clock.now())
  const { workers: connected, executions } = stack

  const drain = async () => {
    await executions.settled()
    while (await connected.drain()) await executions.settled()
  }
  const founded: string[] = []
  return {
    ...stack,
    clock,
    directory,
    call: caller(stack),
    tenant: async (wanted) => {
      const tenant = await foundTenant(stack, wanted)
      founded.push(tenant.tenant_id)
      return tenant
    },
    endFounded: () => {
      const ended = founded.splice(0)
      if (memory) endTenants(ended, { table: memory.table, queues: stack.disk.db })
    },
    keepFounded: () => void founded.splice(0),
    drain,
    advance: async (ms) => {
      const until = clock.now() + ms
      for (let due: number | undefined = clock.now(); due; due = clock.nextDue(until)) {
        clock.moveTo(due)
        await drain()
      }
      clock.moveTo(until)
      await drain() // messages that became visible again
    },
    sweep: async () => {
      await connected.tick()
      await drain()
    },
    stop: async () => {
      await stack.stop()
      keepKeys(directory)
      if (!options.directory) rmSync(directory, { recursive: true })
      if (errors.length > 0) throw errors[0] // nothing of the machinery may fail unnoticed
    },
  }
}

/** In a table that is empty the first walk of the sweeper need not look at the 200 partitions of the day before. */
const walkedUntil = (from: number) =>
  openTable().update({ pk: 'DUE#progress', sk: 'SWEEP' }, { set: { from, _type: 'SWEEP' } })

let founded = 0

async function foundTenant(stack: Stack, wanted: Wanted = {}): Promise<TestTenant> {
  const { plan = 'enterprise', quotas, require_human_approver = false } = wanted
  founded += 1
  const name = `tenant-${founded}`
  const passwords = { owner_password: PASSWORD, approver_password: PASSWORD }
  const settings = { require_human_approver, refusal_holds_s: 0, answer_repeats: false }
  const set = require_human_approver === null ? {} : { settings }
  const addresses = { owner_email: `owner@${name}.example`, approver_email: `approver@${name}.example` }
  const input = { name, plan, ...(quotas && { quotas }), ...addresses, ...passwords, ...set }
  const credentials = (await stack.invoke(workers.createTenant, input)) as TenantCredentials // the worker's reply
  const { live_key, test_key, approver_key } = credentials
  const keyOf = (who: Parameters<TestTenant['as']>[0]) => {
    if (typeof who === 'object') return who.key
    return who === 'approver' ? approver_key : test_key
  }
  return {
    ...credentials,
    call: caller(stack, live_key),
    as: (who) => ({ call: caller(stack, keyOf(who)) }),
  }
}
