// Requests of SDK clients that end in this process: everything is as on the wire, from the serialised input to the answer that is
// parsed, only the two sockets are gone. `test/infra/local` and the journeys prove the wire itself.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import type { AwsServer } from '../../infra/local/aws-server.ts'
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'

/** A request as the SDK hands it to its transport. */
type Request = {
  port?: number
  method: string
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: string | Uint8Array | Readable
}
type Transport = { handle: (request: Request, options: object) => Promise<object>; destroy: () => void }

/** As many turns of the event loop as a command to the in-memory table takes, so that requests at the same time really meet. */
const TURNS = 5

/** `aws` is asked for with each request, as it starts after the clients are set up. What is for another server goes over the network. */
export function withoutNetwork(aws: () => Pick<AwsServer, 'url' | 'answer'>): ClientPlugin {
  const inProcess = async ({ method, path, query = {}, headers, body }: Request) => {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const content = await contentOf(body)
    for (let passed = 0; passed < TURNS; passed += 1) await turn()
    const answer = await aws().answer({ method, url: `${path}${searchOf(query)}`, headers: sent }, content)
    const { status: statusCode, headers: received, body: text = '' } = answer
    return { response: { statusCode, headers: received, body: Readable.from([Buffer.from(text)]) } }
  }
  return (client, service) => {
    if (service === 'dynamodb') return
    const { config } = client as AnyClient & { config: { requestHandler: Transport } } // every client of the SDK has it
    const network = config.requestHandler
    const isHere = ({ port }: Request) => port === Number(new URL(aws().url).port)
    config.requestHandler = {
      handle: (request, options) => (isHere(request) ? inProcess(request) : network.handle(request, options)),
      destroy: () => network.destroy(),
    }
  }
}

async function contentOf(body: Request['body'] = ''): Promise<Uint8Array> {
  if (typeof body === 'string') return Buffer.from(body)
  // The SDK warns of a copy of its bytes, since they also have the methods of a text.
  return body instanceof Readable ? buffer(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

function searchOf(query: NonNullable<Request['query']>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) search.append(name, one ?? '')
  return search.size === 0 ? '' : `?${search.toString()}`
}
