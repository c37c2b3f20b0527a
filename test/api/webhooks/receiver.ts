// A receiver on this machine, with everything it was sent.
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'

export type Received = {
  headers: Record<string, string>
  body: string
  event: { id: string; type: string; data: object }
}

export type Receiver = {
  url: string
  received: Received[]
  /** Throws when nothing was sent. */
  last: () => Received
  /** What it answers from now on. */
  status: number
  stop: () => Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server: Server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(', ')])
    received.push({ headers: Object.fromEntries(headers), body, event: JSON.parse(body) })
    response.writeHead(receiver.status).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    last: () => {
      const last = received.at(-1)
      if (!last) throw new Error('nothing was sent')
      return last
    },
    status: 204,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return receiver
}
