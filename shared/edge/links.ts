// Links of lists (RFC 8288) to their first and next page. They are relative to the request, so they hold behind every host name.
import { HttpResponse, type Layer } from '../base/wire/call.ts'
import { OFFSET_MAX } from '../base/wire/pagination.ts'
import { readQuery } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'

type Query = Record<string, string>

export const links = ({ method }: Route): Layer => ({
  after: (request) => {
    const { event, response } = request
    if (method !== 'GET' || !(response instanceof HttpResponse) || response.status !== 200) return
    const next = nextOf(response)
    if (next === undefined) return
    const { cursor: _, offset, ...rest } = readQuery(event)
    const first = { ...rest, ...(offset !== undefined && cursorless(event.call.query) && { offset: '0' }) }
    const Link = [link(first, 'first'), ...(next ? [link({ ...rest, ...next }, 'next')] : [])].join(', ')
    request.response = new HttpResponse(response.status, response.body, {
      unchanged: response.unchanged,
      follow: response.follow,
      headers: { ...response.headers, Link },
    })
  },
})

const link = (query: Query, rel: string): string => `<?${new URLSearchParams(query).toString()}>; rel="${rel}"`

/** With both parameters the cursor wins. */
const cursorless = (query: unknown): boolean => (query as { cursor?: string }).cursor === undefined

type Page = {
  items: unknown[]
  next_cursor?: string | null
  limit?: number
  offset?: number
  total: number
  total_is_lower_bound?: true
}

/** What the next page is asked with: null on the last page, undefined where there is no list. */
function nextOf({ body, headers }: HttpResponse): Query | null | undefined {
  const further = headers['X-Next-Cursor'] // of a list that is a table of text
  if (further !== undefined) return { cursor: further }
  if (!isPage(body)) return undefined
  const { items, next_cursor: cursor, limit, offset, total, total_is_lower_bound: atLeast } = body
  if (cursor !== undefined) return cursor === null ? null : { cursor }
  if (offset === undefined || limit === undefined) return undefined
  const from = offset + items.length
  const more = total > from || (atLeast === true && items.length === limit)
  return more && items.length > 0 && from <= OFFSET_MAX ? { offset: String(from) } : null
}

const isPage = (body: unknown): body is Page =>
  typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items) && 'total' in body
