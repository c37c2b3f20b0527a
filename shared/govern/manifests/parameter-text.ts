// Writes values of a payload into a URL, a form or a header, in the styles of OpenAPI.
import type { Json } from '../../base/lib/canonical-json.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { ConnectionParameter } from './connection-target.ts'

/** `encodeURIComponent` throws on half of a surrogate pair. */
export const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

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
export const pathTexts = (value: Json, { explode }: ConnectionParameter): string[] => textsOf(value, explode)

export const headerText = (value: Json, { explode }: ConnectionParameter): string => textsOf(value, explode).join(',')

const SEPARATORS = { spaceDelimited: '%20', pipeDelimited: '%7C', form: ',', simple: ',', deepObject: ',' }

/** `name=value` pairs, encoded. */
export function queryPairs(value: Json, { name, style, explode }: ConnectionParameter): string[] {
  if (value === null) return []
  if (style === 'deepObject') return formPairs(value, name)
  if (typeof value !== 'object') return [`${encoded(name)}=${encoded(textOf(value))}`]
  if (explode && Array.isArray(value)) return value.map((one) => `${encoded(name)}=${encoded(textOf(one))}`)
  if (explode && !Array.isArray(value))
    return membersOf(value).map(([member, of]) => `${encoded(member)}=${encoded(textOf(of))}`)
  return [`${encoded(name)}=${textsOf(value, false).map(encoded).join(SEPARATORS[style])}`]
}

/** As forms name what is nested: `a[b][0]=x`. */
export function formPairs(value: Json, name = ''): string[] {
  if (value === null) return []
  if (typeof value !== 'object') return [`${name}=${encoded(textOf(value))}`]
  const members = Array.isArray(value) ? value.map((of, i) => [String(i), of] as const) : membersOf(value)
  return members.flatMap(([member, of]) => formPairs(of, name === '' ? encoded(member) : `${name}[${encoded(member)}]`))
}
