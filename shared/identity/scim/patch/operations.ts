// Reads the operations of a PATCH (RFC 7644, section 3.5.2), one for each attribute, with values in the form of the schema. A
// read-only or unknown attribute is refused in a path and ignored in a value, because clients repeat such attributes.
import type { Attribute } from '../filter/attribute.ts'
import { coerce, isReference, normaliseExtension } from './normalise.ts'
import { elementFilter, type Filter } from '../filter/filter.ts'
import { type Path, readPath } from '../filter/select.ts'
import { badRequest } from '../refusal.ts'
import { isObject, type Resource, type ResourceType } from '../resource-type.ts'

export type Op = 'add' | 'remove' | 'replace'

export type AttributeOperation = {
  op: Op
  extension?: string
  attribute: Attribute
  filter?: Filter
  sub?: Attribute
  /** Undefined: absent. In a removal: the elements to remove, undefined for all. */
  value?: unknown
}

/** An operation on a whole extension. */
export type ExtensionOperation = { op: Op; extension: string; value: Resource }

export type Operation = AttributeOperation | ExtensionOperation

const OPS: readonly string[] = ['add', 'remove', 'replace']
const OPERATIONS_MAX = 1_000

/** Throws 400 with the `scimType` of the RFC. */
export function readOperations(type: ResourceType, body: Resource): Operation[] {
  const sent = member(body, 'Operations')
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > OPERATIONS_MAX) {
    throw badRequest('invalidSyntax', `Operations must be an array of 1 to ${OPERATIONS_MAX} operations.`)
  }
  return sent.flatMap((operation: unknown) => readOperation(type, operation))
}

/** Finds a member by its name in any case, like attributes. */
const member = (of: Resource, name: string): unknown =>
  Object.entries(of).find(([sent]) => sent.toLowerCase() === name.toLowerCase())?.[1]

function readOperation(type: ResourceType, sent: unknown): Operation[] {
  if (!isObject(sent)) throw badRequest('invalidSyntax', 'An operation must be an object.')
  const op = readOp(member(sent, 'op'))
  const [path, value] = [member(sent, 'path'), member(sent, 'value')]
  if (path === undefined || path === null || path === '') return withoutPath(type, op, value)
  if (typeof path !== 'string') throw badRequest('invalidPath', 'path must be a string.')
  const read = readPath(type, path)
  if (!read && isOtherSchema(type, path)) return []
  if (!read) throw badRequest('invalidPath', 'The path names no attribute of this resource. Use one of its schemas.')
  if (isReadOnly(read)) throw badRequest('mutability', `${read.attribute?.name} is read-only. Leave the operation out.`)
  if (op !== 'remove' && value === undefined)
    throw badRequest('invalidValue', 'The operation has no value. Add one, or use remove.')
  return [operationAt(type, op, read, value)]
}

/** An attribute of a schema that the service does not have. It is left out, as in a POST: one such operation must not keep out the others. */
function isOtherSchema({ schema, extension }: ResourceType, path: string): boolean {
  const sent = path.trim().toLowerCase()
  const known = [schema.id, ...(extension ? [extension.id] : [])].map((urn) => urn.toLowerCase())
  return sent.startsWith('urn:') && !known.some((urn) => sent === urn || sent.startsWith(`${urn}:`))
}

function readOp(sent: unknown): Op {
  const op = typeof sent === 'string' ? sent.toLowerCase() : ''
  if (!OPS.includes(op)) throw badRequest('invalidSyntax', 'op must be add, remove or replace.')
  return op as Op
}

/** Without a path, each key of the value is a path. */
function withoutPath(type: ResourceType, op: Op, value: unknown): Operation[] {
  if (op === 'remove') throw badRequest('noTarget', 'A remove operation needs a path. Add one.')
  if (!isObject(value)) throw badRequest('invalidValue', 'Without a path, value must be an object.')
  return Object.entries(value).flatMap(([key, part]) => {
    const path = readPath(type, key)
    return path && !isReadOnly(path) ? [operationAt(type, op, path, part)] : []
  })
}

const isReadOnly = ({ attribute, sub }: Path): boolean =>
  attribute?.mutability === 'readOnly' || sub?.mutability === 'readOnly'

function operationAt(type: ResourceType, op: Op, path: Path, value: unknown): Operation {
  const { extension, attribute, sub } = path
  if (!attribute) return { op, extension: String(extension), value: normaliseExtension(type, value) }
  const filter = path.filter === undefined ? undefined : filterOf(attribute, path.filter)
  const target = { op, attribute, ...(extension && { extension }), ...(filter && { filter }), ...(sub && { sub }) }
  if (op === 'remove' && clears(target)) return { op, attribute, ...(extension && { extension }), value: undefined }
  if (op === 'remove') return { ...target, value: filter || sub ? undefined : listedElements(attribute, value) }
  const read = coerce(valueAttribute(target), value)
  if (clears(target, read)) return { op: 'remove', attribute, ...(extension && { extension }), value: undefined }
  return { ...target, value: read }
}

type Target = { attribute: Attribute; sub?: Attribute }

/** Whether the id of a reference goes. Its other parts, such as the name of a manager, would be about nobody. */
const clears = ({ attribute, sub }: Target, read?: unknown): boolean =>
  sub?.name === 'value' &&
  isReference(attribute) &&
  (read === undefined || (typeof read === 'string' && read.trim() === ''))

function filterOf(attribute: Attribute, text: string): Filter {
  if (!attribute.multiValued)
    throw badRequest('invalidPath', `${attribute.name} has a single value. Leave the filter out of the path.`)
  return elementFilter(attribute, text)
}

/** The attribute that the value of an operation belongs to: a sub-attribute, one element, or the whole attribute. */
const valueAttribute = ({
  attribute,
  filter,
  sub,
}: {
  attribute: Attribute
  filter?: Filter
  sub?: Attribute
}): Attribute => sub ?? (filter ? { ...attribute, multiValued: false } : attribute)

/** The elements that a removal lists in its value, as Entra does. An empty list means none, not all. */
const listedElements = (attribute: Attribute, value: unknown): unknown =>
  attribute.multiValued ? (coerce(attribute, value) ?? (Array.isArray(value) ? [] : undefined)) : undefined
