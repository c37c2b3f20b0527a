import type { Endpoint } from './endpoint.ts'

/** The fields of an endpoint in the audit log. Header values are sealed, so only their names appear. */
export const AUDITED = ['name', 'url', 'events', 'status', 'description', 'metadata', 'filter', 'header_names'] as const

/** The endpoint with its URL cut before the query, which may hold a token of the receiver. */
export const auditable = ({ url, ...endpoint }: Endpoint) => {
  const { origin, pathname, search } = new URL(url)
  return { ...endpoint, url: `${origin}${pathname}${search && '?***'}` }
}
