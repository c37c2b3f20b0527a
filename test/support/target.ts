// A target on this machine: keeps what it is called with and answers what the test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks wherever it likes into what was sent
export type TargetCall = { method: string; path: string; headers: IncomingHttpHeaders; text: string; body: any }
export type Behaviour = (response: ServerResponse, request: IncomingMessage) => unknown

export type TestTarget = {
  url: string
  calls: TargetCall[]
  /** How the coming calls are answered; afterwards 200 with `{ok: true}`. */
  next: (...behaviours: Behaviour[]) => void
  stop: () => Promise<void>
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
/** Takes the whole request and then closes the connection. */
export const reset: Behaviour = (_, request) => request.socket.destroy()
/** Takes the whole request and never says a word. */
export const silence: Behaviour = () => undefined

export async function startTarget(): Promise<TestTarget> {
  const calls: TargetCall[] = []
  const behaviours: Behaviour[] = []
  const server = createServer(async (request, response) => {
    const content = await text(request)
    const { method = '', url: path = '', headers } = request
    calls.push({ method, path, headers, text: content, body: /^[[{"]/.test(content) ? JSON.parse(content) : undefined })
    const behave = behaviours.shift() ?? json(200, { ok: true })
    behave(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server always has one
  return {
    url: `http://127.0.0.1:${port}/run`,
    calls,
    next: (...more) => void behaviours.push(...more),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
