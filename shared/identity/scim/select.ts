// Selects the attributes of a response (RFC 7644, section 3.9). `id` and `schemas` are always included.
import { COMMON_ATTRIBUTES } from './attribute.ts'
import { type Path, readPath } from './path.ts'
import { isObject, type Resource, type ResourceType } from './resource-type.ts'

/** The names as sent. `attributes` takes precedence over `excludedAttributes`. */
export type Selection = { attributes?: readonly string[]; excludedAttributes?: readonly string[] }

const ALWAYS = new Set(COMMON_ATTRIBUTES.filter(({ returned }) => returned === 'always').map(({ name }) => name))

/** Whether the response includes an attribute. If not, it need not be read. */
export function shows(type: ResourceType, selection: Selection, name: string): boolean {
  return name in selected(type, selection, { [name]: [{}] })
}

export function selected(
  type: ResourceType,
  { attributes, excludedAttributes }: Selection,
  resource: Resource,
): Resource {
  if (attributes) {
    const always = Object.fromEntries(Object.entries(resource).filter(([name]) => ALWAYS.has(name)))
    return pathsOf(type, attributes).reduce((shown, path) => add(shown, resource, path), always)
  }
  return pathsOf(type, excludedAttributes ?? []).reduce((shown, path) => drop(shown, path), resource)
}

const pathsOf = (type: ResourceType, sent: readonly string[]): Path[] =>
  sent.flatMap((name): Path[] => {
    if (name.trim().toLowerCase() === type.schema.id.toLowerCase()) {
      return type.schema.attributes.map((attribute) => ({ attribute }))
    }
    const path = readPath(type, name)
    return path ? [path] : []
  })

function add(shown: Resource, resource: Resource, { extension, attribute, sub }: Path): Resource {
  if (extension && attribute) {
    const [before, whole] = [shown[extension], resource[extension]]
    const part = add(isObject(before) ? before : {}, isObject(whole) ? whole : {}, {
      attribute,
      ...(sub && { sub }),
    })
    return Object.keys(part).length > 0 ? { ...shown, [extension]: part } : shown
  }
  const name = extension ?? attribute?.name ?? ''
  const value = resource[name]
  if (value === undefined) return shown
  return { ...shown, [name]: sub ? merged(shown[name], only(value, sub.name)) : value }
}

/** The sub-attribute of a value, or of each value of a list. */
function only(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => only(one, name))
  return isObject(value) && name in value ? { [name]: value[name] } : {}
}

/** Merges two parts of the same value, or of each value of a list. */
function merged(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return a.map((one, index) => merged(one, b[index]))
  return isObject(a) && isObject(b) ? { ...a, ...b } : b
}

function drop(shown: Resource, { extension, attribute, sub }: Path): Resource {
  const name = extension ?? attribute?.name ?? ''
  const value = shown[name]
  if (value === undefined || ALWAYS.has(name)) return shown
  if (extension && attribute) {
    const rest = drop(isObject(value) ? value : {}, { attribute, ...(sub && { sub }) })
    return Object.keys(rest).length > 0 ? { ...shown, [name]: rest } : without(shown, name)
  }
  return sub ? { ...shown, [name]: lacking(value, sub.name) } : without(shown, name)
}

function lacking(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => lacking(one, name))
  return isObject(value) ? without(value, name) : value
}

const without = (value: Resource, name: string): Resource =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
