// The parameters of an operation: what a payload may say, and how it is written into the request.
import { type ConnectionParameter, isChosenByPayload } from '../../../govern/manifests/connection-target.ts'
import { isObject, type JsonMap, mapAt, member, resolved, Skipped, textAt } from './resolve.ts'
import type { Operation } from './operations.ts'

/** `schema`: as the document has it. */
export type Parameter = ConnectionParameter & { required: boolean; schema: unknown }

const PLACES = ['path', 'query', 'header'] as const
const STYLES: Record<(typeof PLACES)[number], readonly ConnectionParameter['style'][]> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
}
const NAME_MAX = 128
/** OpenAPI gives these to the media types and to the security of an operation. */
const NOT_PARAMETERS = /^(?:accept|content-type)$/i

export function parametersOf(document: JsonMap, operation: Operation): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const given of operation.parameters) {
    const parameter = parameterOf(resolved(document, given))
    if (parameter) found.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  const variables = [...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  const inPath = variables.map((name) => found.get(`path ${name}`) ?? implied(name))
  return [...inPath, ...[...found.values()].filter((one) => one.in !== 'path')]
}

/** Undefined for one that a request never carries. */
function parameterOf(given: JsonMap): Parameter | undefined {
  const name = textAt(given, 'name') ?? ''
  const at = textAt(given, 'in')
  const required = at === 'path' || member(given, 'required') === true
  const place = PLACES.find((one) => one === at)
  if (!place) return refused(required, at === 'cookie' ? 'required_cookie' : 'unsupported_parameter')
  if (place === 'header' && NOT_PARAMETERS.test(name)) return undefined
  if (place === 'header' && !isChosenByPayload(name)) return ownOf(name, required)
  if (name === '' || name.length > NAME_MAX || name === '__proto__') return refused(required, 'unsupported_parameter')
  const { schema, style } = formOf(given, place)
  const known = STYLES[place].find((one) => one === style)
  if (!known) return refused(required, 'unsupported_parameter')
  const exploded = member(given, 'explode')
  return {
    name,
    in: place,
    required,
    schema,
    style: known,
    explode: typeof exploded === 'boolean' ? exploded : known === 'form',
  }
}

function refused(required: boolean, reason: 'required_cookie' | 'unsupported_parameter'): undefined {
  if (required) throw new Skipped(reason)
  return undefined
}

/** Headers that the service sets itself. */
function ownOf(name: string, required: boolean): undefined {
  if (!required) return undefined
  if (/^(?:proxy-)?authorization$/i.test(name)) throw new Skipped('required_authorization')
  if (/^cookie$/i.test(name)) throw new Skipped('required_cookie')
  return undefined
}

/** Of a parameter with `content` only one media type is possible, which no style writes. */
function formOf(given: JsonMap, place: Parameter['in']) {
  const style = isObject(member(given, 'content')) ? 'content' : textAt(given, 'style')
  return { schema: mapAt(given, 'schema'), style: style ?? (place === 'query' ? 'form' : 'simple') }
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
