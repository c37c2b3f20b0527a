// Receivers that behave badly, in a thread of their own so that their memory is not counted as ours.
import { createServer, type Socket } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'

/** Writes without end, as fast as the other side takes it. */
const flood = (socket: Socket, start: string, chunk: Buffer) => {
  const more = () => {
    if (!socket.destroyed) socket.write(chunk, () => setImmediate(more))
  }
  socket.write(start, more)
}

const HEAD = 'HTTP/1.1 200 OK\r\n'

/** What each answers to a connection. */
const RECEIVERS: Record<string, (socket: Socket) => void> = {
  hangs: () => {},
  'slow headers': (socket) => {
    socket.write(HEAD)
    const drip = setInterval(() => socket.write('x: y\r\n'), 100)
    socket.on('close', () => clearInterval(drip))
  },
  'endless body': (socket) => flood(socket, `${HEAD}\r\n`, Buffer.alloc(1_048_576)),
  'endless headers': (socket) => flood(socket, HEAD, Buffer.from(`x: ${'y'.repeat(65_536)}\r\n`)),
  'gzip bomb': (socket) => {
    const bomb = gzipSync(Buffer.alloc(200_000_000))
    socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`)
    socket.end(bomb)
  },
  '200 KB header': (socket) => socket.end(`${HEAD}x: ${'y'.repeat(200_000)}\r\n\r\n`),
  garbage: (socket) => flood(socket, '', Buffer.alloc(65_536, 7)),
  'redirect loop': (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
}

if (!isMainThread) {
  const ports: Record<string, number> = {}
  for (const [kind, answer] of Object.entries(RECEIVERS)) {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', () => answer(socket))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    ports[kind] = typeof address === 'object' && address ? address.port : 0
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node's has no origin
  parentPort?.postMessage(ports)
}

/** Ports by kind of receiver; they listen until `stop`. */
export async function hostileReceivers(): Promise<{ ports: Record<string, number>; stop: () => Promise<unknown> }> {
  const worker = new Worker(new URL(import.meta.url))
  const ports = await new Promise<Record<string, number>>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return { ports, stop: () => worker.terminate() }
}
