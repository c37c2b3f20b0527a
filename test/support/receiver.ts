// A receiver of webhooks on this machine: keeps what arrives and answers what the test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Delivery = {
  type: string
  attempt: number
  headers: IncomingHttpHeaders
  /** The bytes that were signed. */
  body: Buffer
}

export type Receiver = {
  url: string
  deliveries: Delivery[]
  /** The statuses of the coming answers; afterwards 204. */
  answer: (...statuses: number[]) => void
  /** Resolves when the receiver has got as many deliveries. */
  got: (count: number) => Promise<void>
  stop: () => Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const statuses: number[] = []
  let waiting: { count: number; resolve: () => void }[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const { headers } = request
    const body = await buffer(request)
    const attempt = Number(headers['x-webhook-attempt'])
    deliveries.push({ type: String(headers['x-webhook-event']), attempt, headers, body })
    response.writeHead(statuses.shift() ?? 204).end()
    for (const { resolve } of waiting.filter(({ count }) => count <= deliveries.length)) resolve()
    waiting = waiting.filter(({ count }) => count > deliveries.length)
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server always has one
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    answer: (...next) => void statuses.push(...next),
    got: (count) =>
      new Promise((resolve) => {
        if (deliveries.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
