// Converts what clients send into the form of the schema: a whole resource (POST, PUT) with names in the schema's case and only known
// attributes that a client may write, or single values (PATCH). A value that cannot be converted is refused, never guessed.
import { type Attribute, subAttribute, valueOf } from '../filter/attribute.ts'
import { readPath } from '../filter/select.ts'
import { badRequest } from '../refusal.ts'
import { isObject, type Resource, type ResourceType } from '../resource-type.ts'

/** Ignores unknown and read-only attributes, because Okta repeats id, groups and meta. Throws 400 for values that do not fit. */
export function normalise(type: ResourceType, body: Resource): Resource {
  const resource: Resource = {}
  for (const [name, value] of Object.entries(body)) {
    const path = readPath(type, name)
    if (!path || path.filter !== undefined || path.sub) continue
    if (path.attribute) assign(path.extension ? extensionOf(resource, path.extension) : resource, path.attribute, value)
    else if (path.extension) Object.assign(extensionOf(resource, path.extension), normaliseExtension(type, value))
  }
  return complete(type, resource)
}

/** The attributes of an extension. `value` names them without their URN. */
export function normaliseExtension({ extension }: ResourceType, value: unknown): Resource {
  if (value === null || value === undefined) return {}
  const [only, ...others]: unknown[] = [value].flat()
  if (only === undefined) return {}
  if (!isObject(only) || others.length > 0) throw badRequest('invalidValue', 'An extension must be an object.')
  const resource: Resource = {}
  for (const [name, part] of Object.entries(only)) {
    const lower = name.toLowerCase()
    const attribute = extension?.attributes.find((one) => one.name.toLowerCase() === lower)
    if (attribute) assign(resource, attribute, part)
  }
  return resource
}

/** The object of an extension inside a resource. Adds it when it is missing. */
export function extensionOf(resource: Resource, urn: string): Resource {
  const known = resource[urn]
  if (isObject(known)) return known
  const made: Resource = {}
  resource[urn] = made
  return made
}

function assign(resource: Resource, attribute: Attribute, value: unknown): void {
  if (attribute.mutability === 'readOnly') return
  const read = coerce(attribute, value)
  if (read === undefined) delete resource[attribute.name]
  else resource[attribute.name] = read
}

/** Drops empty attributes. Throws 400 when a required one is missing or blank. */
export function complete(type: ResourceType, resource: Resource): Resource {
  const full = Object.fromEntries(Object.entries(resource).filter(([, value]) => !isEmpty(value)))
  for (const { name, required } of type.schema.attributes) {
    if (!required) continue
    const value = full[name]
    if (typeof value !== 'string' || value.trim() === '') throw badRequest('invalidValue', `${name} must not be blank.`)
  }
  return full
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

/**
 * The value of an attribute; undefined when it counts as absent: null, `[]`, an object without known sub-attributes. A single value
 * counts as a list of one where the schema has a list, and a list of one as its value where the schema has one value. Throws 400
 * invalidValue.
 */
export function coerce(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return coerceOne(attribute, onlyOne(attribute, value))
  const values = [value]
    .flat()
    .map((one: unknown) => coerceOne(attribute, one))
    .filter((one) => one !== undefined)
  return values.length > 0 ? tidy(values) : undefined
}

/** What a list of one holds. Entra wraps a text there, too: `[{"$ref": null, "value": "Chief"}]`. A longer list stays, to be refused. */
function onlyOne({ type }: Attribute, value: unknown): unknown {
  if (!Array.isArray(value) || value.length > 1) return value
  const [only]: unknown[] = value
  return type !== 'complex' && isObject(only) && 'value' in only ? only.value : only
}

/** The value of a single-valued attribute, or one value of a multi-valued one. */
export function coerceOne(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  switch (attribute.type) {
    case 'complex':
      return coerceComplex(attribute, value)
    case 'boolean':
      return coerceBoolean(attribute, value)
    default:
      return coerceText(attribute, value)
  }
}

function coerceText({ name }: Attribute, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw badRequest('invalidValue', `${name} must be a string.`)
}

/** Entra sends "True" and "False". */
function coerceBoolean({ name }: Attribute, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw badRequest('invalidValue', `${name} must be a boolean.`)
}

/** A plain value is read as `{value}`: Entra sends a manager as a string. */
function coerceComplex(attribute: Attribute, value: unknown): Resource | undefined {
  const short = valueOf(attribute)
  if (!isObject(value)) {
    if (!short || Array.isArray(value)) throw badRequest('invalidValue', `${attribute.name} must be an object.`)
    const text = coerceText(attribute, value)
    return text.trim() === '' && isReference(attribute) ? undefined : { [short.name]: text }
  }
  const parts: Resource = {}
  for (const [name, part] of Object.entries(value)) {
    const sub = subAttribute(attribute, name)
    const read = sub && sub.mutability !== 'readOnly' ? coerce(sub, part) : undefined
    if (sub && read !== undefined) parts[sub.name] = read
  }
  if (isReference(attribute) && 'value' in parts && String(parts.value).trim() === '') return undefined
  return Object.keys(parts).length > 0 ? parts : undefined
}

/** A reference to one other resource, such as a manager. An empty `value` clears it, since no resource has an empty id. */
export const isReference = (attribute: Attribute): boolean =>
  !attribute.multiValued && subAttribute(attribute, '$ref') !== undefined && valueOf(attribute) !== undefined

/** Drops duplicates and keeps at most one primary value, the last one (RFC 7643, section 2.4). */
export function tidy(values: readonly unknown[]): unknown[] {
  const unique = [...new Map(values.map((value) => [identity(value), value])).values()]
  const primary = unique.findLastIndex((value) => isObject(value) && value.primary === true)
  return unique.map((value, index) =>
    isObject(value) && value.primary === true && index !== primary ? { ...value, primary: false } : value,
  )
}

/** Equal for objects that differ only in the order of their members. */
export const identity = (value: unknown): string =>
  JSON.stringify(isObject(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value)

/** A test whether an element is one of the values, compared by `value` if both have it. */
export function anyOf(values: readonly unknown[]): (element: unknown) => boolean {
  const valueKeys = new Set(values.flatMap((one) => (isObject(one) && 'value' in one ? [one.value] : [])))
  const whole = new Set(values.map(identity))
  return (element) => (isObject(element) && valueKeys.has(element.value)) || whole.has(identity(element))
}
