// The API of the provider: the lists and operations of the catalogue, answered in the form of each.
import { providerOf } from '../../../shared/deliver/integrations/catalogue/catalogue.ts'
import type { Model, Provider } from '../../../shared/deliver/integrations/catalogue/provider.ts'
import { record } from './records.ts'
import type { Reply } from './oauth.ts'

const PAGE_MAX = 100

/** How many records each list has, and which of them have changed since. */
export type ExampleAccount = { size: number; changed: ReadonlySet<number> }

/** The value at a path of members, in dots. */
const valueAt = (of: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null ? Object.entries(at).find(([key]) => key === name)?.[1] : undefined,
      of,
    )

export type ApiCall = {
  connector: string
  method: string
  url: URL
  path: string
  text: string
  account: ExampleAccount
}

export function apiReply({ connector, method, url, path, text, account }: ApiCall): Reply {
  const provider = providerOf(connector)
  if (!provider) return told(404, { message: 'Not Found' })
  const body: unknown = text === '' ? {} : JSON.parse(text)
  const model = provider.models.find(({ list }) => isAt(list, method, path, body))
  if (model) return listed(provider, model, { url, body, account })
  if (method === 'GET') return told(200, record(provider.category, numberIn(path) % account.size))
  if (method === 'DELETE') return { status: 204, body: '' }
  const answer = { id: `new-${numberIn(path) + 1}`, ...(typeof body === 'object' ? body : {}) }
  return told(200, connector === 'slack' ? { ok: true, ...answer } : answer)
}

const told = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Of operations that share a path with a list, the list is the one that asks for its items. */
const isAt = (list: string, method: string, path: string, body: unknown): boolean => {
  const query = valueAt(body, 'query')
  return (
    list === `${method} ${path}` &&
    (typeof query !== 'string' || !path.endsWith('graphql') || query.includes('issues('))
  )
}

/** Which record a path means: the digits in its last segment. */
const numberIn = (path: string): number => Math.max(0, Number(/(\d+)\D*$/.exec(path)?.[1] ?? 1) - 1)

const changedOr = (of: Record<string, unknown>, isChanged: boolean) =>
  isChanged ? { ...of, note: 'changed', updated_at: '2030-01-01T00:00:00.000Z' } : of

type Asked = { url: URL; body: unknown; account: ExampleAccount }

function listed(provider: Provider, model: Model, { url, body, account }: Asked): Reply {
  const { paging } = model
  const since = model.since === undefined ? null : url.searchParams.get(model.since)
  const size = Math.min(PAGE_MAX, Number(url.searchParams.get(model.size ?? '') ?? PAGE_MAX) || PAGE_MAX)
  const from = startOf(paging, { url, body, account })
  const all = Array.from({ length: Math.min(size, account.size - from) }, (_, i) =>
    changedOr(record(provider.category, from + i, model.id), account.changed.has(from + i)),
  )
  const items = since === null ? all : all.filter(({ updated_at }) => String(updated_at) >= since)
  const next = from + size < account.size ? from + size : undefined
  const answer: Record<string, unknown> = { ...(provider.id === 'slack' && { ok: true }) }
  const set = (path: string, value: unknown) => setAt(answer, path, value)
  if (model.items !== '') set(model.items, items)
  if (paging.by === 'cursor')
    set(paging.from, next === undefined ? (provider.id === 'slack' ? '' : null) : String(next))
  if (paging.by === 'offset') set(paging.more, next !== undefined)
  if (paging.by !== 'link' || next === undefined) return told(200, model.items === '' ? items : answer)
  const following = new URL(url)
  following.searchParams.set('offset', String(next))
  if (paging.from !== undefined) set(paging.from, following.href)
  const link = paging.from === undefined ? { link: `<${following.href}>; rel="next"` } : undefined
  return told(200, model.items === '' ? items : answer, link)
}

function startOf(paging: Model['paging'], { url, body }: Asked): number {
  if (paging.by === 'link') return Number(url.searchParams.get('offset') ?? 0)
  return Number(url.searchParams.get(paging.to) ?? valueAt(body, paging.to) ?? 0) || 0
}

/** Members with dots in their names (`@odata.nextLink`) stand at the top. */
function setAt(of: Record<string, unknown>, path: string, value: unknown): void {
  const parts = path.startsWith('@') ? [path] : path.split('.')
  const last = parts.pop() ?? ''
  let at = of
  for (const part of parts) at = (at[part] ??= {}) as Record<string, unknown>
  at[last] = value
}
