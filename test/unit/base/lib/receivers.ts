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
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  open.push({ server, sockets })
  const address = server.address()
  state.port = typeof address === 'object' && address ? address.port : 0
  return state
}

/** Writes the lines of an answer, with CR LF between them. */
export const says =
  (...lines: string[]) =>
  (socket: Socket) =>
    socket.end(lines.join('\r\n'))
