// Takes the network away from the SDK's clients: answers are recorded once against the local service and then given again
// from memory, so that what is measured is the CPU of our code and of the SDK, and nothing else.
import type { AnyClient, ClientPlugin } from '../../shared/base/aws/clients.ts'

type Request = { headers: Record<string, string>; body?: string | Uint8Array }
type Response = { statusCode: number; headers: Record<string, string>; body: AsyncIterable<Uint8Array> }
type Handler = { handle: (request: Request, options?: object) => Promise<{ response: Response }> }
type Recorded = { statusCode: number; headers: Record<string, string>; bytes: Uint8Array }

const recordings = new Map<string, Recorded>()
let replaying = false

export const startReplay = (): void => {
  replaying = true
}

/** Single reads are told apart by their key; of everything else the last answer serves. */
function nameOf({ headers, body }: Request): string {
  const target = headers['x-amz-target'] ?? ''
  if (!target.endsWith('.GetItem') || body === undefined) return target
  return `${target} ${JSON.stringify(JSON.parse(Buffer.from(body).toString()).Key)}`
}

export const recording: ClientPlugin = (client: AnyClient) => {
  const { config } = client as AnyClient & { config: { requestHandler: Handler } }
  const network = config.requestHandler
  const handle: Handler['handle'] = async (request, options) => {
    const name = nameOf(request)
    const known = recordings.get(name)
    if (replaying && known) return { response: responseOf(known) }
    if (replaying) throw new Error(`no recorded answer for ${name}`)
    const { response } = await network.handle(request, options)
    const recorded = { statusCode: response.statusCode, headers: response.headers, bytes: await read(response.body) }
    recordings.set(name, recorded)
    return { response: responseOf(recorded) }
  }
  config.requestHandler = Object.assign(Object.create(network), { handle })
}

const responseOf = ({ statusCode, headers, bytes }: Recorded): Response => ({
  statusCode,
  headers,
  body: bytes as unknown as Response['body'], // the SDK's collector takes bytes as well as a stream
})

async function read(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts)
}
