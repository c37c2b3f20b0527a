// Makes the request of an action that runs through a connection. With any payload the request remains at the address that the manifest
// names: no value climbs out of its place in the path, and none sets a header of the service. Values are written in the styles of
// OpenAPI.
import type { Violation } from '../../base/lib/failure.ts'
import type { Json } from '../../base/lib/json.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { ConnectionParameter, ConnectionTarget, FormPart } from './connection-target.ts'

export type ConnectionRequest = { url: string; headers: Record<string, string>; body?: string }

// oxlint-disable-next-line no-control-regex -- they must not be in a path
const UNSAFE_IN_PATH = /^\.{0,2}$|[\u0000-\u001f\u007f]/
const HEADER_VALUE = /^[\t\x20-\x7e]{0,4096}$/
const FORM = 'application/x-www-form-urlencoded'
/** In the place of the base address while none is known. */
const SOMEWHERE = 'https://base.example/base'

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const valueOf = (payload: JsonObject, { in: at, name }: ConnectionParameter): Json | undefined => {
  const part = payload[at]
  return isMap(part) && Object.hasOwn(part, name) ? part[name] : undefined
}

/** What a payload must not hold, besides what the schema of the action says. */
export function requestViolations(target: ConnectionTarget, payload: JsonObject): Violation[] {
  const violations = [...partViolations(target, payload)]
  if (violations.length === 0 && requestOf(target, payload, SOMEWHERE) === undefined)
    violations.push(violation(['path'], 'must not lead to another address'))
  return violations
}

const violation = (loc: string[], msg: string): Violation => ({
  loc: ['body', 'payload', ...loc],
  msg,
  type: 'value_error',
})

function* partViolations({ params, content_type }: ConnectionTarget, payload: JsonObject): Generator<Violation> {
  for (const parameter of params) {
    const loc = [parameter.in, parameter.name]
    const value = valueOf(payload, parameter)
    if (
      parameter.in === 'path' &&
      (value === undefined || pathTexts(value, parameter).some((text) => UNSAFE_IN_PATH.test(text)))
    )
      yield violation(loc, 'must not be empty, `.`, `..` or hold control characters')
    if (parameter.in === 'header' && value !== undefined && !HEADER_VALUE.test(headerText(value, parameter)))
      yield violation(loc, 'must be printable ASCII')
  }
  const { body } = payload
  if (body === undefined) return
  if (content_type === FORM && !isMap(body)) yield violation(['body'], 'must be an object')
  if (content_type === 'text/plain' && typeof body !== 'string') yield violation(['body'], 'must be a text')
}

/** Undefined when the request would be at another address than the manifest says. */
export function requestOf(target: ConnectionTarget, payload: JsonObject, base: string): ConnectionRequest | undefined {
  const { params, content_type } = target
  const root = new URL(base)
  const path = root.pathname.replace(/\/$/, '') + filledPath(target, payload)
  const pairs = params.flatMap((one) => {
    const value = one.in === 'query' ? valueOf(payload, one) : undefined
    return value === undefined ? [] : queryPairs(value, one)
  })
  const url = new URL(root.origin + path)
  if (url.origin !== root.origin || url.pathname !== path) return undefined
  url.search = pairs.join('&')
  const given = params.flatMap((one) => {
    const value = one.in === 'header' ? valueOf(payload, one) : undefined
    return value === undefined ? [] : [[one.name.toLowerCase(), headerText(value, one)] as const]
  })
  const body = bodyOf(target, payload)
  return {
    url: url.href,
    headers: {
      ...Object.fromEntries(given),
      ...(body !== undefined && content_type && { 'content-type': content_type }),
    },
    ...(body !== undefined && { body }),
  }
}

/** An unknown variable stays in its braces, which a URL encodes: then the path is not the one that was asked for. */
const filledPath = ({ path, params }: ConnectionTarget, payload: JsonObject): string =>
  path.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
    const parameter = params.find((one) => one.in === 'path' && one.name === name)
    const value = parameter && valueOf(payload, parameter)
    if (!parameter || value === undefined) return whole
    return pathTexts(value, parameter).map(encoded).join(',')
  })

function bodyOf({ content_type, graphql, encoding }: ConnectionTarget, { body }: JsonObject): string | undefined {
  if (graphql !== undefined) return JSON.stringify({ query: graphql, variables: body ?? {} })
  if (content_type === undefined || body === undefined) return undefined
  if (content_type === FORM && encoding && isMap(body)) return formOf(body, encoding)
  if (content_type === FORM) return nestedPairs(body).join('&')
  return content_type === 'text/plain' && typeof body === 'string' ? body : JSON.stringify(body)
}

/** `encodeURIComponent` throws on half of a surrogate pair. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

const textOf = (value: Json): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)

const membersOf = (value: JsonObject): [string, Json][] =>
  Object.entries(value).flatMap(([name, of]) => (of === undefined ? [] : [[name, of]]))

/** The texts that a value holds: of its elements, or of its members with their names. */
function textsOf(value: Json, explode: boolean): string[] {
  if (Array.isArray(value)) return value.map(textOf)
  if (typeof value !== 'object' || value === null) return [textOf(value)]
  const members = membersOf(value)
  return explode
    ? members.map(([name, of]) => `${name}=${textOf(of)}`)
    : members.flatMap(([name, of]) => [name, textOf(of)])
}

/** The values of a path variable, each of which must be safe in a path. */
const pathTexts = (value: Json, { explode, style }: ConnectionParameter): string[] =>
  style === 'json' ? [JSON.stringify(value)] : textsOf(value, explode)

const headerText = (value: Json, parameter: ConnectionParameter): string => pathTexts(value, parameter).join(',')

const SEPARATORS = { spaceDelimited: '%20', pipeDelimited: '%7C', form: ',', simple: ',' }

type Written = Pick<ConnectionParameter, 'name' | 'style' | 'explode' | 'reserved'>

/** `name=value` pairs, encoded. */
function queryPairs(value: Json, { name, style, explode, reserved }: Written): string[] {
  const write = reserved ? lightlyEncoded : encoded
  if (style === 'json') return [`${encoded(name)}=${write(JSON.stringify(value))}`]
  if (value === null || (Array.isArray(value) && value.length === 0)) return []
  if (style === 'deepObject') return nestedPairs(value, encoded(name))
  if (typeof value !== 'object') return [`${encoded(name)}=${write(textOf(value))}`]
  if (explode && Array.isArray(value)) return value.map((one) => `${encoded(name)}=${write(textOf(one))}`)
  if (explode && !Array.isArray(value))
    return membersOf(value).map(([member, of]) => `${encoded(member)}=${write(textOf(of))}`)
  return [`${encoded(name)}=${textsOf(value, false).map(write).join(SEPARATORS[style])}`]
}

/** Reserved characters stay, except those that would begin another value or end the query (`&`, `=`, `+`, `#`). */
const lightlyEncoded = (text: string): string =>
  encoded(text).replaceAll(/%(?:3A|2F|3F|40|24|2C|3B|5B|5D)/g, (code) => decodeURIComponent(code))

/** A form as OpenAPI says (3.1.1, 4.8.15): lists repeat their key and objects are JSON, where the document says nothing else. */
function formOf(body: JsonObject, encoding: Readonly<Record<string, FormPart>>): string {
  const pairs = membersOf(body).flatMap(([name, value]) => {
    const part = Object.hasOwn(encoding, name) ? encoding[name] : undefined
    if (part && part.style !== 'text') return queryPairs(value, { ...part, style: part.style, name })
    return value === null ? [] : [value].flat().map((one) => `${encoded(name)}=${encoded(textOf(one))}`)
  })
  return pairs.join('&')
}

/** As many programs name what is nested: `a[b][0]=x`. */
function nestedPairs(value: Json, name = ''): string[] {
  if (value === null) return []
  if (typeof value !== 'object') return [`${name}=${encoded(textOf(value))}`]
  const members = Array.isArray(value) ? value.map((of, i) => [String(i), of] as const) : membersOf(value)
  return members.flatMap(([member, of]) =>
    nestedPairs(of, name === '' ? encoded(member) : `${name}[${encoded(member)}]`),
  )
}
