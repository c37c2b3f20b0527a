// Converts a whole resource from a client (POST, PUT) into the form of the schema: names in its case, and only known
// attributes that a client may write.
import type { Attribute } from './attribute.ts'
import { coerce } from './coerce.ts'
import { readPath } from './path.ts'
import { badRequest } from './refusal.ts'
import { isObject, type Resource, type ResourceType } from './resource-type.ts'

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
  if (!isObject(value)) throw badRequest('invalidValue', 'An extension must be an object.')
  const resource: Resource = {}
  for (const [name, part] of Object.entries(value)) {
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
