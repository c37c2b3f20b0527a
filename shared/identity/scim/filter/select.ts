// Selects the attributes of a response (RFC 7644, section 3.9). `id` and `schemas` are always included. Attribute paths are read here,
// and only here, for filters and PATCH, too.
import { type Attribute, COMMON_ATTRIBUTES, namedAttribute, subAttribute } from './attribute.ts'
import { coreAttribute, isObject, type Resource, type ResourceType } from '../resource-type.ts'

/** The names as sent. `attributes` takes precedence over `excludedAttributes`. */
export type Selection = { attributes?: readonly string[]; excludedAttributes?: readonly string[] }

const ALWAYS = new Set(COMMON_ATTRIBUTES.filter(({ returned }) => returned === 'always').map(({ name }) => name))

/** Whether the response includes an attribute. If not, it need not be read. */
export function isSelected(type: ResourceType, selection: Selection, name: string): boolean {
  return name in select(type, selection, { [name]: [{}] })
}

export function select(
  type: ResourceType,
  { attributes, excludedAttributes }: Selection,
  resource: Resource,
): Resource {
  if (attributes) {
    const always = Object.fromEntries(Object.entries(resource).filter(([name]) => ALWAYS.has(name)))
    return pathsOf(type, attributes).reduce((view, path) => addPath(view, resource, path), always)
  }
  return pathsOf(type, excludedAttributes ?? []).reduce((view, path) => removePath(view, path), resource)
}

const pathsOf = (type: ResourceType, sent: readonly string[]): Path[] =>
  sent.flatMap((name): Path[] => {
    if (name.trim().toLowerCase() === type.schema.id.toLowerCase()) {
      return type.schema.attributes.map((attribute) => ({ attribute }))
    }
    const path = readPath(type, name)
    return path ? [path] : []
  })

function addPath(view: Resource, resource: Resource, { extension, attribute, sub }: Path): Resource {
  if (extension && attribute) {
    const [before, whole] = [view[extension], resource[extension]]
    const part = addPath(isObject(before) ? before : {}, isObject(whole) ? whole : {}, {
      attribute,
      ...(sub && { sub }),
    })
    return Object.keys(part).length > 0 ? { ...view, [extension]: part } : view
  }
  const name = extension ?? attribute?.name ?? ''
  const value = resource[name]
  if (value === undefined) return view
  return { ...view, [name]: sub ? merge(view[name], partOf(value, sub.name)) : value }
}

/** The sub-attribute of a value, or of each value of a list. */
function partOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => partOf(one, name))
  return isObject(value) && name in value ? { [name]: value[name] } : {}
}

/** Merges two parts of the same value, or of each value of a list. */
function merge(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return a.map((one, index) => merge(one, b[index]))
  return isObject(a) && isObject(b) ? { ...a, ...b } : b
}

function removePath(view: Resource, { extension, attribute, sub }: Path): Resource {
  const name = extension ?? attribute?.name ?? ''
  const value = view[name]
  if (value === undefined || ALWAYS.has(name)) return view
  if (extension && attribute) {
    const rest = removePath(isObject(value) ? value : {}, { attribute, ...(sub && { sub }) })
    return Object.keys(rest).length > 0 ? { ...view, [name]: rest } : without(view, name)
  }
  return sub ? { ...view, [name]: withoutPart(value, sub.name) } : without(view, name)
}

function withoutPart(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutPart(one, name))
  return isObject(value) ? without(value, name) : value
}

const without = (value: Resource, name: string): Resource =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))

/**
 * An attribute path (RFC 7644, section 3.5.2 and figure 7): `name.givenName`, `emails[type eq "work"].value`, optionally with the URN
 * of the schema in front.
 */
export type Path = {
  /** URN of the extension that holds the attribute. */
  extension?: string
  /** Absent when the path names a whole extension. */
  attribute?: Attribute
  /** The text between the brackets. */
  filter?: string
  sub?: Attribute
}

const SHAPE = /^(?<name>[$\w-]+)(?:\[(?<filter>.*)\])?(?:\.(?<sub>[$\w-]+))?$/s

/** Undefined when the type has no such attribute. */
export function readPath(type: ResourceType, text: string): Path | undefined {
  const { schema, extension } = type
  const trimmed = text.trim()
  if (extension && trimmed.toLowerCase() === extension.id.toLowerCase()) return { extension: extension.id }
  const ofExtension = extension && behind(extension.id, trimmed)
  if (extension && ofExtension !== undefined) {
    const found = resolve(ofExtension, (name) => namedAttribute(extension.attributes, name))
    return found && { extension: extension.id, ...found }
  }
  return resolve(behind(schema.id, trimmed) ?? trimmed, (name) => coreAttribute(type, name))
}

/** The text after the URN and its colon. */
const behind = (urn: string, text: string): string | undefined =>
  text.toLowerCase().startsWith(`${urn.toLowerCase()}:`) ? text.slice(urn.length + 1) : undefined

function resolve(text: string, find: (name: string) => Attribute | undefined): Path | undefined {
  const { name = '', filter, sub } = SHAPE.exec(text)?.groups ?? {}
  const attribute = find(name)
  const part = attribute && sub !== undefined ? subAttribute(attribute, sub) : undefined
  if (!attribute || (sub !== undefined && !part)) return undefined
  return { attribute, ...(filter !== undefined && { filter }), ...(part && { sub: part }) }
}
