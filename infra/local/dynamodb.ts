// The local DynamoDB: dynoxide on a SQLite file, as a child process that ends with this one. `DYNAMODB_ENDPOINT` replaces it
// by another server (DynamoDB Local).
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type AwsCall, awsCaller } from './aws-call.ts'
import { indexStreamRecords } from './stream-records.ts'

export type Dynamodb = {
  endpoint: string
  call: AwsCall
  /** Process id of the server; undefined for another server. */
  pid: number | undefined
  close: () => Promise<void>
  /** Resolves when the server ends unexpectedly. */
  died: Promise<void>
}

// This shell ends the server when its standard input is closed, which happens at the end of this process. File descriptor 3
// holds the pipe, because a shell closes the standard input of background commands.
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
  if (elsewhere) return { ...reached(elsewhere), pid: undefined, close: async () => {}, died: new Promise(() => {}) }
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

/** Undefined when the server ended at once, because its port was taken. */
async function launch(file: string): Promise<Dynamodb | undefined> {
  const port = await freePort()
  const child = spawn('sh', ['-c', WRAPPER, 'sh', binary(), 'serve', '--port', String(port), '--db-path', file], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true, // so that Ctrl-C does not end the server before running requests are done
  })
  const end = () => child.stdin.end()
  const exited = once(child, 'exit').then(end)
  const [pid] = await once(child.stdout, 'data')
  const server = reached(`http://127.0.0.1:${port}`)
  if (!(await ready(child, server.call))) {
    end()
    await exited
    return undefined
  }
  const state = { closing: false }
  return {
    ...server,
    pid: Number(pid),
    close: async () => {
      state.closing = true
      end()
      await exited
    },
    died: new Promise((resolve) => void exited.then(() => state.closing || resolve())),
  }
}

const reached = (endpoint: string) => ({ endpoint, call: awsCaller(endpoint) })

async function ready(child: ChildProcess, call: AwsCall): Promise<boolean> {
  for (let waited = 0; waited < READY_MS && child.exitCode === null; waited += 5) {
    const tables = await call('DynamoDB_20120810.ListTables', {}).catch(() => undefined)
    if (tables) return true
    await wait(5)
  }
  return false
}

/** The binary of this platform's package, else the one in PATH. `bin/ensure-install.mjs` ensures that one exists. */
function binary(): string {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`)
  } catch {
    return 'dynoxide'
  }
}

/** A port that is free now, because dynoxide does not report the port that it chose. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server always has one
  server.close()
  await once(server, 'close')
  return port
}
