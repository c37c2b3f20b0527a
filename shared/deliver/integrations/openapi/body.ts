// The body of an operation: the media type that this service can write, in the order of preference.
import { isObject, type JsonMap, mapAt, member } from './json-map.ts'
import type { Operation } from './operations.ts'
import { resolved } from './resolve.ts'
import { Skipped } from './skipped.ts'

export type Body = { content_type: string; required: boolean; schema: unknown }

const bare = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? ''

const PREFERRED: readonly { fits: (type: string) => boolean; sent?: string }[] = [
  { fits: (type) => type === 'application/json' },
  { fits: (type) => /^application\/[\w.-]+\+json$/.test(type) },
  { fits: (type) => type === '*/*' || type === 'application/*', sent: 'application/json' },
  { fits: (type) => type === 'application/x-www-form-urlencoded' },
  { fits: (type) => type === 'text/plain' },
]

/** Undefined for an operation that sends none. Throws `Skipped`. */
export function bodyOf(document: JsonMap, { method, of }: Operation): Body | undefined {
  const given = member(of, 'requestBody')
  if (given === undefined || method === 'GET' || method === 'HEAD') return undefined
  const body = resolved(document, given)
  const contents = Object.entries(mapAt(body, 'content'))
  if (contents.length === 0) return undefined
  for (const { fits, sent } of PREFERRED) {
    const found = contents.find(([type]) => fits(bare(type)))
    if (!found) continue
    const [type, media] = found
    const schema = isObject(media) ? member(resolved(document, media), 'schema') : undefined
    return { content_type: sent ?? bare(type), required: member(body, 'required') === true, schema: schema ?? {} }
  }
  throw new Skipped('unsupported_body')
}
