// A receiver on this machine, with everything it was sent.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { text } from 'node:stream/consumers'

export type Received = { headers: IncomingHttpHeaders; body: string; event: { id: string; type: string; data: object } }

export type Receiver = {
  url: string
  received: Received[]
  /** What it answers from now on. */
  status: number
  stop: () => Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server: Server = createServer(async (request, response) => {
    const body = await text(request)
    received.push({ headers: request.headers, body, event: JSON.parse(body) })
    response.writeHead(receiver.status).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    status: 204,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return receiver
}
