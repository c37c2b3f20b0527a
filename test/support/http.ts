// A plain HTTP client for tests: sends exactly the headers and bytes it is given, from the loopback address it is given.
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

export type Sent = {
  method: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
  /** 127.0.0.x: what the service sees as the source address. */
  ip?: string
}

/** Header names are lower case; repeated headers are joined by a comma. */
export type Received = { status: number; headers: Record<string, string>; text: string; cookies: string[] }

const agent = new Agent({ keepAlive: true })

export async function send(url: string, { method, headers = {}, body, ip = '127.0.0.1' }: Sent): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const outgoing = request(url, { method, agent, family: 4, localAddress: ip, headers: { ...length, ...headers } })
  outgoing.on('error', reject)
  outgoing.on('response', (response) => {
    const entries = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')])
    const status = response.statusCode ?? 0
    const cookies = response.headers['set-cookie'] ?? []
    const received = Object.fromEntries(entries)
    // `text` would drop a byte order mark
    buffer(response).then((bytes) => resolve({ status, headers: received, text: bytes.toString(), cookies }), reject)
  })
  outgoing.end(body)
  return promise
}
