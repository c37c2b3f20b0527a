// Receivers on loopback that behave well or badly. Each tells how many connections and requests reached it.
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach } from 'vitest'
import type { Certificate } from './certificate.ts'

export type Receiver = { port: number; connections: number; requests: string[] }

const open: { server: Server; sockets: Set<Socket> }[] = []

afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => server.close(done))
  }
})

/** A request as a strict server reads it; `left` is what follows it on the connection, and would be read as another request. */
export type Framed = { head: string; body: string; left: string }

/** By RFC 9112, 6.3: a body has the one Content-Length that the head says, and is absent without one. */
function framedIn(bytes: string): Framed | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [head, rest] = [bytes.slice(0, end), bytes.slice(end + 4)]
  const lengths = [...head.matchAll(/^content-length: *(\d+)\r?$/gim)].map(([, digits]) => Number(digits))
  if (lengths.length > 1 || /^(?:transfer-encoding|trailer):/im.test(head)) throw new Error('ambiguous framing')
  const [length = 0] = lengths
  return rest.length < length ? undefined : { head, body: rest.slice(0, length), left: rest.slice(length) }
}

/** Answers a framed request, and resolves to all that came over its connection. */
export async function strictReceiver(): Promise<{ port: number; request: Promise<Framed | undefined> }> {
  const { promise: request, resolve } = Promise.withResolvers<Framed | undefined>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let bytes = ''
    let answered = false
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(framedIn(bytes)))
    socket.on('data', (chunk) => {
      bytes += chunk.toString('latin1')
      if (answered || !framedIn(bytes)) return
      answered = true
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    })
  })
  return { port: await listening(server, sockets), request }
}

async function listening(server: Server, sockets: Set<Socket>): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  open.push({ server, sockets })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** Calls `answer` with the socket once a whole request head has arrived. */
export async function receiver(answer: (socket: Socket) => void, tls?: Certificate): Promise<Receiver> {
  const state: Receiver = { port: 0, connections: 0, requests: [] }
  const sockets = new Set<Socket>()
  const connected = (socket: Socket) => {
    let head = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const before = head.includes('\r\n\r\n')
      head += chunk.toString('latin1')
      if (before || !head.includes('\r\n\r\n')) return
      state.requests.push(head)
      answer(socket)
    })
  }
  const server = tls ? createTlsServer(tls, connected) : createServer(connected)
  server.on('connection', (socket: Socket) => {
    state.connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.on('tlsClientError', () => undefined)
  state.port = await listening(server, sockets)
  return state
}

/** Writes the lines of an answer, with CR LF between them. */
export const says =
  (...lines: string[]) =>
  (socket: Socket) =>
    socket.end(lines.join('\r\n'))
