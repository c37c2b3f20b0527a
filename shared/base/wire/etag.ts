// ETags of single resources (RFC 9110, sections 8.8 and 13.1). A tag is strong and names the version.
import { conflict, malformed } from '../lib/failure.ts'
import { HttpResponse, type Call } from './call.ts'
import type { Route } from './route.ts'

const TAG = /^"v([1-9]\d{0,11})"$/

export const etag = (version: number): string => `"v${version}"`

/** The response of a resource with its ETag. */
export const tagged = (
  body: unknown,
  version: number,
  status = 200,
  headers: Record<string, string> = {},
): HttpResponse => new HttpResponse(status, body, { headers: { ...headers, ETag: etag(version) } })

/** The version that a change names in If-Match or in the body. Throws 400 when the two differ. */
export function namedVersion({ headers, body }: Pick<Call, 'headers' | 'body'>): number | undefined {
  const byHeader = readIfMatch(headers['if-match'])
  const { version: byBody } = body as { version?: number | undefined } // the only form of `version` in any body
  if (byHeader !== undefined && byBody !== undefined && byHeader !== byBody) {
    throw malformed('If-Match and version name different versions. Send only one of them.')
  }
  return byHeader ?? byBody
}

/** `*` accepts any version, so it names none. */
function readIfMatch(sent: string | undefined): number | undefined {
  if (sent === undefined || sent.trim() === '*') return undefined
  const version = TAG.exec(sent.trim())?.[1]
  if (version === undefined) throw malformed('If-Match is not an ETag of this resource. Send one, such as "v3".')
  return Number(version)
}

/** Throws 409 when a change names another version than the current one. */
export function mustBeCurrent(named: number | undefined, current: number): void {
  if (named === undefined || named === current) return
  throw conflict(`The resource is at version ${current}. Read it again, then repeat your change.`, {
    code: 'version_conflict',
  })
}

/** 304 for a client that already has the current version; undefined otherwise. */
export function notModified({ method }: Route, { headers }: Call, { status, headers: answered }: HttpResponse) {
  const known = headers['if-none-match']
  const { ETag, 'Cache-Control': cache } = answered
  if (method !== 'GET' || status !== 200 || known === undefined || ETag === undefined) return undefined
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, '')) // weak comparison, as the RFC requires here
  const present = ETag.replace(/^W\//, '')
  return tags.includes('*') || tags.includes(present)
    ? new HttpResponse(304, undefined, { headers: { ETag, ...(cache && { 'Cache-Control': cache }) } })
    : undefined
}
