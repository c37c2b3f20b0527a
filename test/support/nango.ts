// A stand-in for Nango that speaks its protocol: sessions, connections, and signed messages.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export const SIGNING_KEY = 'nango-signing-key'
const SECRET_KEY = 'nango-secret-key'

export const signed = (body: string): Record<string, string> => ({
  'x-nango-hmac-sha256': createHmac('sha256', SIGNING_KEY).update(body).digest('hex'),
})

type Held = { tags: Record<string, string>; token: string }

export async function startNango() {
  const held = new Map<string, Held>()
  let latest: Record<string, string> = {}
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://nango')
      const answer = (status: number, of: object) => response.writeHead(status).end(JSON.stringify(of))
      if (request.headers.authorization !== `Bearer ${SECRET_KEY}`) return answer(401, {})
      if (url.pathname === '/connect/sessions') {
        latest = JSON.parse(body).tags
        return answer(201, {
          data: { connect_link: 'https://connect.nango.example/session', expires_at: '2030-01-01T00:00:00Z' },
        })
      }
      const id = decodeURIComponent(url.pathname.split('/')[2] ?? '')
      const found = held.get(id)
      if (!found) return answer(404, {})
      if (request.method === 'DELETE') held.delete(id)
      if (url.searchParams.has('force_refresh')) found.token += '+'
      return answer(200, { connection_id: id, tags: found.tags, credentials: { access_token: found.token } })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    secrets: {
      nango: { host: `http://127.0.0.1:${port}`, secret_key: SECRET_KEY, signing_keys: ['former', SIGNING_KEY] },
    },
    held,
    /** A person agrees in the latest session. */
    agree: (id: string) => held.set(id, { tags: latest, token: `token-of-${id}` }),
    tags: () => latest,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type Nango = Awaited<ReturnType<typeof startNango>>
