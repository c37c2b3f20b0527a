// The body of an operation: the media type that this service can write, in the order of preference, and how a form writes its members.
import type { ConnectionTarget } from '../../../govern/manifests/connection-target.ts'
import { isObject, type JsonMap, mapAt, member, resolved, Skipped, textAt } from './resolve.ts'
import type { Operation } from './operations.ts'

/** `media`: what holds the examples. `encoding`: of a form. */
export type Body = {
  content_type: string
  required: boolean
  schema: unknown
  media: JsonMap
  encoding?: NonNullable<ConnectionTarget['encoding']>
}

const FORM = 'application/x-www-form-urlencoded'

export const bareType = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? ''
export const isJson = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json$/.test(bareType(type))

const PREFERRED: readonly { fits: (type: string) => boolean; sent?: string }[] = [
  { fits: (type) => type === 'application/json' },
  { fits: isJson },
  { fits: (type) => type === '*/*' || type === 'application/*', sent: 'application/json' },
  { fits: (type) => type === FORM },
  { fits: (type) => type === 'text/plain' },
]

/** Undefined for an operation that sends none. Throws `Skipped`. */
export function bodyOf(document: JsonMap, { method, of }: Operation): Body | undefined {
  const given = member(of, 'requestBody')
  if (given === undefined) return undefined
  const body = resolved(document, given)
  const required = member(body, 'required') === true
  if (method === 'GET' || method === 'HEAD') {
    if (required) throw new Skipped('unsupported_body', `${method} with a body`)
    return undefined
  }
  const contents = Object.entries(mapAt(body, 'content'))
  if (contents.length === 0) return undefined
  for (const { fits, sent } of PREFERRED) {
    const found = contents.find(([type]) => fits(bareType(type)))
    if (!found) continue
    const media = isObject(found[1]) ? resolved(document, found[1]) : {}
    const content_type = sent ?? bareType(found[0])
    return {
      content_type,
      required,
      schema: member(media, 'schema') ?? {},
      media,
      ...(content_type === FORM && { encoding: encodingOf(media) }),
    }
  }
  throw new Skipped('unsupported_body', contents.map(([type]) => bareType(type)).join(' '))
}

type Encoding = NonNullable<Body['encoding']>
const STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const

/** What the document says of members of a form. One that it says nothing of is written by its value: lists repeat their key. */
function encodingOf(media: JsonMap): Encoding {
  const all = Object.entries(mapAt(media, 'encoding')).filter(([name, of]) => name !== '__proto__' && isObject(of))
  return Object.fromEntries(all.flatMap(([name, of]) => (isObject(of) ? [[name, partOf(name, of)]] : [])))
}

/** Where one of `style`, `explode` and `allowReserved` is given, the content type is ignored (OpenAPI 3.1.1, 4.8.15). */
function partOf(name: string, of: JsonMap): Encoding[string] {
  const given = member(of, 'style')
  const explode = member(of, 'explode')
  const reserved = member(of, 'allowReserved')
  if ([given, explode, reserved].every((one) => one === undefined))
    return { style: writtenAs(name, of), explode: false }
  const style = STYLES.find((one) => one === (given ?? 'form'))
  if (!style) throw new Skipped('unsupported_encoding', `${name}: ${String(given)}`)
  return {
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    ...(reserved === true && { reserved }),
  }
}

function writtenAs(name: string, of: JsonMap): 'json' | 'text' {
  const types = (textAt(of, 'contentType') ?? 'text/plain').split(',').map(bareType)
  if (types.some(isJson)) return 'json'
  if (types.some((type) => /^(?:text\/(?:plain|\*)|\*\/\*)$/.test(type))) return 'text'
  throw new Skipped('unsupported_encoding', `${name}: ${types.join(' ')}`)
}
