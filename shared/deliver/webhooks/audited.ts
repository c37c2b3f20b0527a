import type { Endpoint } from './endpoint.ts'

/** What the audit log shows of an endpoint. Header values are sealed, so only their names can appear. */
export const AUDITED = ['name', 'url', 'events', 'status', 'description', 'metadata', 'filter', 'header_names'] as const

/** The address without its query, which may hold a token of the receiver. */
export const auditable = ({ url, ...endpoint }: Endpoint) => {
  const { origin, pathname, search } = new URL(url)
  return { ...endpoint, url: `${origin}${pathname}${search && '?***'}` }
}
