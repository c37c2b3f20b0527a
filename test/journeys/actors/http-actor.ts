import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { report } from './report.ts'

export type Received = { body: string; headers: Record<string, string> }

/** Serves on a free loopback port until its parent goes away, and reports where. */
export function serve(answer: (received: Received) => Promise<{ status: number; body?: object }>): void {
  const server = createServer(async (request, response) => {
    const { status, body = {} } = await answer({ body: await readAll(request), headers: headersOf(request) })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
    report({ kind: 'listening', url: `http://127.0.0.1:${port}/` })
  })
  process.stdin.resume().once('end', () => process.exit(0))
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
