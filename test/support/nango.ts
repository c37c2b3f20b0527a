// A stand-in for Nango that speaks its protocol: sessions, connections, syncs with the cache that they fill, and signed messages.
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
/** A record in Nango's cache. `at` is its place in the order of changes, which cursors name. */
type Cached = { content: { id: string | number }; at: number; gone: boolean }
type Changes = { added?: object[]; updated?: object[]; deleted?: (string | number)[] }

/** The syncs of one environment: what each copies, whether it runs, and what it was asked for. */
function newSyncs() {
  const models = new Map<string, { model: string; status: string }>()
  const cache = new Map<string, Map<string, Cached>>()
  const asked: { syncs: string[]; opts: { reset: boolean; emptyCache: boolean } }[] = []
  const reads: (string | null)[] = []
  let at = 0
  const put = (model: string, content: object, gone = false) => {
    const of = cache.get(model) ?? new Map<string, Cached>()
    const { id } = content as Cached['content']
    at += 1
    cache.set(model, of.set(String(id), { content: { ...content, id }, at, gone }))
  }
  return {
    asked,
    reads,
    has: (sync: string, model: string) => models.set(sync, { model, status: 'SUCCESS' }),
    status: () => [...models].map(([name, { status }]) => ({ name, status })),
    trigger: (body: (typeof asked)[number]) => {
      asked.push(body)
      for (const name of body.syncs) {
        const of = models.get(name)
        if (!of) continue
        of.status = 'RUNNING'
        if (body.opts.emptyCache) cache.delete(of.model)
      }
    },
    /** A run ends; the answer is what it says of itself. */
    ran: (sync: string, { added = [], updated = [], deleted = [] }: Changes, more: object = {}) => {
      const of = models.get(sync)
      if (!of) throw new Error(`no sync ${sync}`)
      of.status = 'SUCCESS'
      for (const content of [...added, ...updated]) put(of.model, content)
      for (const id of deleted) put(of.model, { id }, true)
      const responseResults = { added: added.length, updated: updated.length, deleted: deleted.length }
      return {
        type: 'sync',
        syncName: sync,
        model: of.model,
        syncType: 'INCREMENTAL',
        success: true,
        responseResults,
        ...more,
      }
    },
    page: (query: URLSearchParams) => {
      const after = query.get('cursor')
      reads.push(after)
      const all = [...(cache.get(query.get('model') ?? '')?.values() ?? [])].toSorted((a, b) => a.at - b.at)
      const rest = all.filter((one) => one.at > Number(after ?? 0))
      const page = rest.slice(0, Number(query.get('limit')))
      const last = rest.length > page.length ? page.at(-1) : undefined
      return {
        records: page.map(({ content, at: cursor, gone }) => ({
          ...content,
          _nango_metadata: {
            cursor: String(cursor),
            last_action: gone ? 'DELETED' : 'ADDED',
            deleted_at: gone ? '2026-01-01T00:00:00Z' : null,
          },
        })),
        next_cursor: last ? String(last.at) : null,
      }
    },
  }
}

export async function startNango() {
  const held = new Map<string, Held>()
  const syncs = newSyncs()
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
      const { searchParams: query } = url
      if (url.pathname === '/sync/status') return answer(200, { syncs: syncs.status() })
      if (url.pathname === '/sync/trigger') {
        syncs.trigger(JSON.parse(body))
        return answer(200, { success: true })
      }
      if (url.pathname === '/records') {
        const known = held.has(String(request.headers['connection-id']))
        return known ? answer(200, syncs.page(query)) : answer(404, {})
      }
      const id = decodeURIComponent(url.pathname.split('/')[2] ?? '')
      const found = held.get(id)
      if (!found) return answer(404, {})
      if (request.method === 'DELETE') held.delete(id)
      if (query.has('force_refresh')) found.token += '+'
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
    syncs,
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
