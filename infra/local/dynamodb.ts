// DynamoDB for one machine: dynoxide on a SQLite file, as a child that cannot outlive us. `DYNAMODB_ENDPOINT` puts another
// server (DynamoDB Local) in its place.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { awsCall } from './aws-call.ts'
import { indexStreamRecords } from './stream-records.ts'

export type Dynamodb = {
  endpoint: string
  /** Of the server; undefined when it is not ours. */
  pid: number | undefined
  close: () => Promise<void>
  /** Resolves when the server ends without having been told to. */
  died: Promise<void>
}

// The shell outlives our death by the one step that matters: its standard input ends with us, and it then ends the server.
// File descriptor 3 carries that pipe, since a shell takes standard input away from what it runs in the background.
const WRAPPER = `
exec 3<&0
"$@" </dev/null >/dev/null 3<&- & server=$!
echo "$server"
{ cat <&3 >/dev/null; kill "$server" 2>/dev/null; } & watch=$!
wait "$server"
kill "$watch" 2>/dev/null`

const STARTS = 3
const READY_MS = 60_000

export async function startDynamodb(directory: string, elsewhere = process.env.DYNAMODB_ENDPOINT): Promise<Dynamodb> {
  if (elsewhere) return { endpoint: elsewhere, pid: undefined, close: async () => {}, died: new Promise(() => {}) }
  const file = join(directory, 'dynamodb.sqlite')
  for (let start = 1; start <= STARTS; start += 1) {
    const server = await launch(file)
    if (server) {
      indexStreamRecords(file)
      return server
    }
  }
  throw new Error(`the local DynamoDB (${binary()}) did not start`)
}

/** Undefined when the server ended at once: somebody else took its port. */
async function launch(file: string): Promise<Dynamodb | undefined> {
  const port = await freePort()
  const child = spawn('sh', ['-c', WRAPPER, 'sh', binary(), 'serve', '--port', String(port), '--db-path', file], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true, // Ctrl-C reaches us alone: requests under way still find their table
  })
  const end = () => child.stdin.end()
  const exited = once(child, 'exit').then(end)
  const [pid] = await once(child.stdout, 'data')
  const endpoint = `http://127.0.0.1:${port}`
  if (!(await ready(child, endpoint))) {
    end()
    await exited
    return undefined
  }
  const state = { closing: false }
  return {
    endpoint,
    pid: Number(pid),
    close: async () => {
      state.closing = true
      end()
      await exited
    },
    died: new Promise((resolve) => void exited.then(() => state.closing || resolve())),
  }
}

async function ready(child: ChildProcess, endpoint: string): Promise<boolean> {
  for (let waited = 0; waited < READY_MS && child.exitCode === null; waited += 5) {
    const tables = await awsCall(endpoint, 'DynamoDB_20120810.ListTables', {}).catch(() => undefined)
    if (tables) return true
    await wait(5)
  }
  return false
}

/** The package of this platform, else what the PATH calls so: `bin/ensure-install.mjs` has seen to one of them. */
function binary(): string {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`)
  } catch {
    return 'dynoxide'
  }
}

/** Dynoxide does not tell which port it took, so it is given one that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server always has one
  server.close()
  await once(server, 'close')
  return port
}
