// The parameters of an operation: what a payload may say, and how it is written into the request.
import { type ConnectionParameter, isChosenByPayload } from '../../../govern/manifests/connection-target.ts'
import { bareType, isJson } from './body.ts'
import { isObject, type JsonMap, member, resolved, Skipped, textAt } from './resolve.ts'
import type { Operation } from './operations.ts'

/** `schema`: as the document has it. `of`: what holds its examples. */
export type Parameter = ConnectionParameter & { required: boolean; schema: unknown; of?: JsonMap }

/** `leftOut`: an optional parameter cannot be sent. */
export type Parameters = { parameters: Parameter[]; leftOut: boolean }

const PLACES = ['path', 'query', 'header'] as const
const STYLES: Record<(typeof PLACES)[number], readonly ConnectionParameter['style'][]> = {
  path: ['simple', 'json'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'],
  header: ['simple', 'json'],
}
const NAME_MAX = 128
/** OpenAPI gives these to the media types and to the security of an operation. */
const NOT_PARAMETERS = /^(?:accept|content-type)$/i

export function parametersOf(document: JsonMap, operation: Operation): Parameters {
  const found = new Map<string, Parameter>()
  const leftOut = new Set<string>()
  for (const one of operation.parameters) {
    const given = resolved(document, one)
    const place = `${textAt(given, 'in')} ${textAt(given, 'name')}`
    const parameter = parameterOf(document, given)
    found.delete(place)
    leftOut.delete(place)
    if (parameter === 'left_out') leftOut.add(place)
    else if (parameter) found.set(place, parameter)
  }
  const variables = [...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  const inPath = variables.map((name) => found.get(`path ${name}`) ?? implied(name))
  const parameters = [...inPath, ...[...found.values()].filter((one) => one.in !== 'path')]
  return { parameters, leftOut: leftOut.size > 0 }
}

/** Undefined for one that the service sets itself, or nobody. */
function parameterOf(document: JsonMap, given: JsonMap): Parameter | 'left_out' | undefined {
  const name = textAt(given, 'name') ?? ''
  const at = textAt(given, 'in')
  const required = at === 'path' || member(given, 'required') === true
  const place = PLACES.find((one) => one === at)
  if (!place) return refused(required, at === 'cookie' ? 'required_cookie' : 'unsupported_parameter')
  if (place === 'header' && NOT_PARAMETERS.test(name)) return undefined
  if (place === 'header' && !isChosenByPayload(name)) return ownOf(name, required)
  if (name === '' || name.length > NAME_MAX || name === '__proto__') return refused(required, 'unsupported_parameter')
  const { schema, style, of } = formOf(document, given, place)
  const known = STYLES[place].find((one) => one === style)
  if (!known) return refused(required, 'unsupported_parameter', `${place} ${name}: ${style}`)
  const exploded = member(given, 'explode')
  return {
    name,
    in: place,
    required,
    schema,
    style: known,
    explode: typeof exploded === 'boolean' ? exploded : known === 'form',
    ...(place === 'query' && member(given, 'allowReserved') === true && { reserved: true as const }),
    of,
  }
}

function refused(required: boolean, reason: 'required_cookie' | 'unsupported_parameter', detail?: string): 'left_out' {
  if (required) throw new Skipped(reason, detail)
  return 'left_out'
}

/** Headers that the service sets itself. */
function ownOf(name: string, required: boolean): undefined {
  if (!required) return undefined
  if (/^(?:proxy-)?authorization$/i.test(name)) throw new Skipped('required_authorization')
  if (/^cookie$/i.test(name)) throw new Skipped('required_cookie')
  return undefined
}

/** A parameter has a style or one media type, of which this service writes JSON. */
function formOf(document: JsonMap, given: JsonMap, place: Parameter['in']) {
  const content = member(given, 'content')
  if (!isObject(content)) {
    const style = textAt(given, 'style') ?? (place === 'query' ? 'form' : 'simple')
    return { schema: member(given, 'schema'), style: style === 'json' ? 'unknown' : style, of: given }
  }
  const [first] = Object.entries(content)
  const [type, media] = first ?? ['', undefined]
  if (!isObject(media) || !isJson(type)) return { schema: {}, style: bareType(type), of: given }
  const of = resolved(document, media)
  return { schema: member(of, 'schema'), style: 'json', of }
}

/** Many documents do not declare all variables of their paths. */
const implied = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
  style: 'simple',
  explode: false,
})

const PATH_MAX = 1_024
/** Printable characters of a path, and variables in braces. */
const PATH = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|\{[^{}/?#\\%]{1,128}\})*$/
/** Segments that a URL resolves away. */
const CLIMBS = /(?:^|\/)\.{1,2}(?:\/|$)/

/** Throws `Skipped` for a path that would be another one in a URL. */
export function mustBeUsablePath(path: string): void {
  if (path.length > PATH_MAX || !PATH.test(path) || CLIMBS.test(path)) throw new Skipped('unsupported_path')
}
