// DynamoDB for one machine: dynoxide on a SQLite file, as a child that cannot outlive us. `DYNAMODB_ENDPOINT` puts another
// server (DynamoDB Local) in its place.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { indexStreamRecords } from './stream-records.ts'

export type Dynamodb = {
  endpoint: string
  close: () => Promise<void>
  /** Resolves when the server ends without having been told to. */
  died: Promise<void>
}

// The shell outlives our death by the one step that matters: its standard input ends with us, and it then ends the child.
// File descriptor 3 carries the pipe, since a shell takes standard input away from what it runs in the background.
const WRAPPER = `
exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ cat <&3 >/dev/null; kill "$server" 2>/dev/null; } & watch=$!
wait "$server"
kill "$watch" 2>/dev/null`

const READY_MS = 10_000

export async function startDynamodb(directory: string, elsewhere = process.env.DYNAMODB_ENDPOINT): Promise<Dynamodb> {
  if (elsewhere) return { endpoint: elsewhere, close: async () => {}, died: new Promise(() => {}) }
  const file = join(directory, 'dynamodb.sqlite')
  const port = await freePort()
  const child = spawn('sh', ['-c', WRAPPER, 'sh', binary(), 'serve', '--port', String(port), '--db-path', file], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // Ctrl-C reaches us alone: requests under way still find their table
  })
  const exited = once(child, 'exit')
  await reachable(child, port)
  indexStreamRecords(file)
  let stopping = false
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      stopping = true
      child.stdin?.end()
      await exited
    },
    died: exited.then(() => {
      child.stdin?.end()
      return stopping ? new Promise(() => {}) : undefined
    }),
  }
}

function binary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide`)
  } catch {
    throw new Error(`${name} is not installed: start DynamoDB Local and set DYNAMODB_ENDPOINT to its address`)
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

async function reachable(child: ChildProcess, port: number): Promise<void> {
  for (let waited = 0; waited < READY_MS; waited += 5) {
    if (child.exitCode !== null) break
    if (await answers(port)) return
    await wait(5)
  }
  child.stdin?.end()
  throw new Error('the local DynamoDB did not start')
}

function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
