// What OpenAPI prescribes of a request, written a second time and by itself: nothing of the converter is used here. It reads a request
// back into names and values, and knows what of each document these must be.
import type { JsonObject } from '../../../../../shared/base/wire/parse-body.ts'
import type { Json } from '../../../../../shared/base/lib/json.ts'

export type Doc = { paths: JsonObject } & JsonObject
type Payload = { path: JsonObject; query: JsonObject; header: JsonObject; body?: Json }
type Request = { payload: Payload; parameters: JsonObject[]; media?: JsonObject; type?: string }

const nameIn = (of: JsonObject): string => (typeof of['name'] === 'string' ? of['name'] : '')
const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const mapOf = (value: unknown): JsonObject => (isMap(value) ? value : {})
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : [])

/** A part of the document with its local references followed; what stands beside one wins. */
export function at(doc: Doc, value: unknown): JsonObject {
  const here = mapOf(value)
  if (typeof here['$ref'] !== 'string') return here
  const steps = here['$ref'].slice(2).split('/')
  const target = steps.reduce<unknown>((of, step) => mapOf(of)[step.replaceAll('~1', '/')], doc)
  const { $ref: _, ...rest } = here
  return { ...at(doc, target), ...rest }
}

/** A value that a schema takes, for documents that hold no example. */
function sample(doc: Doc, given: unknown): Json {
  const schema = at(doc, given)
  if (schema['example'] !== undefined) return schema['example']
  const [first] = listOf(schema['enum'])
  if (first !== undefined) return first
  const type = [schema['type']].flat()[0]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'array') return [sample(doc, schema['items'])]
  if (type !== 'object') return 'a b&c'
  const required = listOf(schema['required'])
  const properties = Object.entries(mapOf(schema['properties'])).filter(([name]) => required.includes(name))
  return Object.fromEntries(properties.map(([name, of]) => [name, sample(doc, of)]))
}

/** The examples of a parameter or a media type. */
function examplesIn(doc: Doc, of: JsonObject): Json[] {
  const named = Object.values(mapOf(of['examples'])).map((one) => at(doc, one)['value'])
  const all = [of['example'], ...named].filter((one) => one !== undefined)
  return all.length > 0 ? all : [sample(doc, of['schema'])]
}

/** The requests that the examples of an operation make: one for each example of its body. */
export function requestsOf(doc: Doc, method: string, path: string): Request[] {
  const item = at(doc, doc.paths[path])
  const operation = at(doc, item[method.toLowerCase()])
  const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((one) => at(doc, one))
  const part = (place: string): JsonObject =>
    Object.fromEntries(
      parameters
        .filter((one) => one['in'] === place)
        .map((one) => [nameIn(one), examplesIn(doc, formOf(one))[0]] as const),
    )
  const base = { path: part('path'), query: part('query'), header: part('header') }
  const content = mapOf(at(doc, operation['requestBody'])['content'])
  const [[type, given] = []] = Object.entries(content)
  if (type === undefined) return [{ payload: base, parameters }]
  const media = at(doc, given)
  return examplesIn(doc, media).map((body) => ({ payload: { ...base, body }, parameters, media, type }))
}

/** A parameter has its schema and examples itself, or in its only media type. */
const formOf = (parameter: JsonObject): JsonObject => mapOf(Object.values(mapOf(parameter['content']))[0] ?? parameter)

export type Sent = { path: string; query: string[]; headers: JsonObject; body: Json | string[] | undefined }

/** What must be sent: the path, the pairs of the query in their order, and the body, all decoded. */
export function prescribed({ payload, parameters, media, type }: Request, path: string): Sent {
  const texts = (one: JsonObject, value: Json | undefined) => simpleText(value, one['explode'] === true)
  const ofPlace = (place: string) => parameters.filter((one) => one['in'] === place)
  const filled = ofPlace('path').reduce(
    (text, one) => text.replace(`{${nameIn(one)}}`, texts(one, payload.path[nameIn(one)])),
    path,
  )
  const query = ofPlace('query').flatMap((one) => {
    const name = nameIn(one)
    const value = payload.query[name] ?? null
    if (one['content'] !== undefined) return [`${name}=${JSON.stringify(value)}`]
    return styled(name, value, { style: one['style'] ?? 'form', explode: one['explode'] })
  })
  const headers = ofPlace('header').map((one) => {
    const name = nameIn(one)
    return [name.toLowerCase(), texts(one, payload.header[name])] as const
  })
  const isForm = type === 'application/x-www-form-urlencoded'
  const body = isForm ? formPairs(mapOf(payload.body), mapOf(media?.['encoding'])) : payload.body
  return { path: filled, query, headers: Object.fromEntries(headers), body }
}

const text = (value: Json | undefined): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

function simpleText(value: Json | undefined, explode: boolean): string {
  if (Array.isArray(value)) return value.map(text).join(',')
  if (!isMap(value)) return text(value)
  return Object.entries(value)
    .map(([name, of]) => (explode ? `${name}=${text(of)}` : `${name},${text(of)}`))
    .join(',')
}

/** The table of styles (OpenAPI 3.1.1, 4.8.12.5). */
function styled(name: string, value: Json, { style, explode }: { style: unknown; explode: unknown }): string[] {
  const isSpread = explode === undefined ? style === 'form' : explode === true
  if (style === 'deepObject') return deep(name, value)
  if (typeof value !== 'object' || value === null) return [`${name}=${text(value)}`]
  const separator = { spaceDelimited: ' ', pipeDelimited: '|' }[String(style)] ?? ','
  if (Array.isArray(value))
    return isSpread ? value.map((one) => `${name}=${text(one)}`) : [`${name}=${value.map(text).join(separator)}`]
  const members = Object.entries(value).map(([key, of]) => [key, text(of)])
  return isSpread ? members.map(([key, of]) => `${key}=${of}`) : [`${name}=${members.flat().join(separator)}`]
}

function deep(name: string, value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [`${name}=${text(value)}`]
  return Object.entries(value).flatMap(([key, of]) => deep(`${name}[${key}]`, of ?? null))
}

/** A form: each member in its own style, or by its type where the document says nothing (OpenAPI 3.1.1, 4.8.15). */
function formPairs(body: JsonObject, encoding: JsonObject): string[] {
  return Object.entries(body).flatMap(([name, value = null]) => {
    const { style, explode, contentType } = mapOf(encoding[name])
    if (style !== undefined || explode !== undefined) return styled(name, value, { style: style ?? 'form', explode })
    if (contentType === 'application/json') return [`${name}=${JSON.stringify(value)}`]
    return [value].flat().map((one) => `${name}=${text(one)}`)
  })
}

/** What was sent, read back as a server does. */
export function readBack(request: { url: string; headers: Record<string, string>; body?: string }, base: string): Sent {
  const url = new URL(request.url)
  const { 'content-type': type, ...headers } = request.headers
  const pairs = (of: string) => [...new URLSearchParams(of)].map(([name, value]) => `${name}=${value}`)
  const isForm = type === 'application/x-www-form-urlencoded'
  const body = request.body === undefined ? undefined : isForm ? pairs(request.body) : JSON.parse(request.body)
  const path = decodeURIComponent(url.origin + url.pathname).slice(base.length)
  return { path, query: pairs(url.search), headers, body }
}
