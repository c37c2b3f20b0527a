// Applies the operations of a PATCH to a copy of a resource, so a refused operation changes nothing. Paths are resolved here
// by the schema. `scim-patch` then gets only plain names, which it cannot misread.
import {
  scimPatch,
  type ScimPatchAddReplaceOperation,
  type ScimPatchRemoveOperation,
  type ScimResource,
} from 'scim-patch'
import type { Attribute } from '../filter/attribute.ts'
import { anyOf, complete, extensionOf, identity, tidy } from './normalise.ts'
import type { Filter } from '../filter/filter.ts'
import { comparisonBudget, matches } from '../filter/matches.ts'
import type { AttributeOperation, ExtensionOperation, Operation } from './operations.ts'
import { badRequest } from '../refusal.ts'
import { isObject, type Resource, type ResourceType } from '../resource-type.ts'

/** Throws 400 mutability, invalidValue, noTarget or tooMany. */
export function applyPatch(type: ResourceType, resource: Resource, operations: readonly Operation[]): Resource {
  const next = structuredClone(resource)
  const compare = comparisonBudget()
  for (const operation of operations) {
    if (!('attribute' in operation)) {
      applyToExtension(next, operation)
      continue
    }
    const values = holderOf(next, operation)[operation.attribute.name]
    if (Array.isArray(values)) compare(values.length, operation.filter)
    applyToAttribute(next, operation)
  }
  tidyLists(next, operations)
  return complete(type, next)
}

const holderOf = (next: Resource, { extension }: AttributeOperation): Resource =>
  extension ? extensionOf(next, extension) : next

/** Called once at the end, because it reads every value of a list. */
function tidyLists(next: Resource, operations: readonly Operation[]): void {
  const ofAttributes = operations.filter((operation) => 'attribute' in operation)
  for (const operation of new Map(ofAttributes.map((one) => [one.attribute, one])).values()) {
    const holder = holderOf(next, operation)
    const values = holder[operation.attribute.name]
    if (Array.isArray(values)) holder[operation.attribute.name] = tidy(values)
  }
}

function applyToExtension(next: Resource, { op, extension, value }: ExtensionOperation): void {
  if (op === 'remove') delete next[extension]
  else if (op === 'replace') next[extension] = value
  else Object.assign(extensionOf(next, extension), value)
}

function applyToAttribute(next: Resource, operation: AttributeOperation): void {
  const { attribute } = operation
  const holder = holderOf(next, operation)
  const removes = operation.op === 'remove' || (operation.op === 'replace' && operation.value === undefined)
  if (removes && attribute.required)
    throw badRequest('mutability', `${attribute.name} is required, so you cannot remove it. Replace it instead.`)
  if (operation.op === 'add' && operation.value === undefined) return
  if (!attribute.multiValued) applyToOne(holder, operation, removes)
  else if (removes) removeElements(holder, operation)
  else changeElements(holder, operation)
}

function applyToOne(holder: Resource, { attribute, sub, value, op }: AttributeOperation, removes: boolean): void {
  const path = sub ? `${attribute.name}.${sub.name}` : attribute.name
  apply(holder, removes ? { op: 'remove', path } : { op: op === 'add' ? 'add' : 'replace', path, value })
  const parts = holder[attribute.name]
  if (isObject(parts) && Object.keys(parts).length === 0) delete holder[attribute.name]
}

function removeElements(holder: Resource, { attribute, filter, sub, value, op }: AttributeOperation): void {
  const elements = elementsOf(holder, attribute)
  const isMeant = op === 'remove' && Array.isArray(value) ? anyOf(value) : elementTest(filter)
  holder[attribute.name] = sub
    ? elements.map((one) => (isObject(one) && isMeant(one) ? without(one, sub.name) : one))
    : elements.filter((one) => !isMeant(one))
}

function changeElements(holder: Resource, operation: AttributeOperation): void {
  const { attribute, filter, sub, value, op } = operation
  const elements = elementsOf(holder, attribute)
  if (!filter && !sub) {
    const values = [value].flat()
    holder[attribute.name] = op === 'add' ? onePrimary([...elements, ...values], values) : values
    return
  }
  const changedElements: unknown[] = []
  const change = (element: Resource): Resource => {
    const next = changeElement(element, operation)
    changedElements.push(next)
    return next
  }
  const meets = elementTest(filter)
  const next = elements.map((one) => (isObject(one) && meets(one) ? change(one) : one))
  if (changedElements.length === 0) next.push(change(requiredValues(filter)))
  holder[attribute.name] = onePrimary(next, changedElements)
}

const elementTest =
  (filter: Filter | undefined) =>
  (element: unknown): boolean =>
    !filter || matches(filter, element)

const isPrimary = (element: unknown): element is Resource => isObject(element) && element.primary === true

/** When a value becomes primary, all different values lose that mark (RFC 7644, section 3.5.2). */
function onePrimary(elements: unknown[], changedElements: readonly unknown[]): unknown[] {
  const primary = changedElements.findLast(isPrimary)
  if (!primary) return elements
  const same = identity(primary)
  return elements.map((one) => (isPrimary(one) && identity(one) !== same ? { ...one, primary: false } : one))
}

/** An element after the change. A replaced element keeps the values that the filter requires. */
function changeElement(element: Resource, { filter, sub, value, op }: AttributeOperation): Resource {
  if (sub) return { ...element, [sub.name]: value }
  const parts = isObject(value) ? value : {}
  return op === 'add' ? { ...element, ...parts } : { ...requiredValues(filter), ...parts }
}

/** The values that a filter requires: `type eq "work"` → `{type: "work"}`. Throws 400 noTarget for any other filter. */
function requiredValues(filter: Filter | undefined): Resource {
  if (!filter) return {}
  if (filter.op === 'and') return Object.assign({}, ...filter.filters.map(requiredValues)) as Resource
  if (filter.op === 'eq' && filter.value !== null) return { [String(filter.place.names[0])]: filter.value }
  throw badRequest('noTarget', 'The filter of the path matches no value. Use another filter, or add a value.')
}

const elementsOf = (holder: Resource, { name }: Attribute): unknown[] => {
  const elements = holder[name]
  return Array.isArray(elements) ? [...elements] : []
}

const without = (element: Resource, name: string): Resource =>
  Object.fromEntries(Object.entries(element).filter(([key]) => key !== name))

/** The library reads only a `path` of one name, or of two names joined by a dot. */
function apply(holder: Resource, operation: ScimPatchAddReplaceOperation | ScimPatchRemoveOperation): void {
  scimPatch(holder as Resource & ScimResource, [operation])
}
