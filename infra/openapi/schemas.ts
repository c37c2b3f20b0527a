// Makes the document's `components.schemas` from zod shapes. Every shape gets a name, so that generated clients have named
// types; a shared shape gets one name.
import * as z from 'zod'
import type { Shapes } from '../../shared/base/wire/call.ts'
import type { Example } from '../../shared/base/wire/example.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import { changesSomething } from './access.ts'
import { CONDITION_REF, conditionSchemas } from './conditions.ts'
import type { Places } from './examples.ts'
import { type JsonSchema, type Registry, schemasOf } from './json-schema.ts'
import { describeAlternatives, describeDefaults } from './words.ts'

/** A route with the shapes that its handler exports, the example beside them and the variables of the area. */
export type Operation = { route: Route; shapes: Shapes; example?: Example | undefined; places?: Places | undefined }

export type Schemas = {
  /** The `{ $ref }` of a request body. Throws for a shape without a name. */
  input: (schema: z.ZodType) => JsonSchema
  /** The `{ $ref }` of an answer or event. */
  output: (schema: z.ZodType) => JsonSchema
  components: Record<string, JsonSchema>
}

export const pascal = (words: string): string =>
  words.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const refTo = (id: string) => `#/components/schemas/${id}`

/** Names all shapes of the operations; `others` come with their names. */
export function describeSchemas(operations: readonly Operation[], others: Record<string, z.ZodType>): Schemas {
  const inputs: Registry = z.registry()
  const outputs: Registry = z.registry()
  const taken = new Set<string>()
  const name = (registry: Registry, schema: z.ZodType | undefined, ...candidates: string[]) => {
    if (!schema || registry.has(schema) || isBodiless(schema)) return
    const id = candidates.find((candidate) => !taken.has(candidate))
    if (!id) throw new Error(`two shapes are called ${candidates.join(' and ')}`)
    taken.add(id)
    registry.add(schema, { id })
  }
  for (const [id, schema] of Object.entries(others)) name(outputs, schema, id)
  for (const { route, shapes } of operations.filter(readsOne)) {
    name(outputs, shapes.response, pascal(route.resource ?? route.id), pascal(route.id))
  }
  for (const { route, shapes } of operations.toSorted(changesFirst)) {
    name(inputs, shapes.body, `${pascal(route.id)}Body`)
    name(outputs, itemOf(shapes.response), `${pascal(route.id)}Item`)
    name(outputs, shapes.response, `${pascal(route.id)}Reply`)
  }
  const requests = schemasOf(inputs, 'input', refTo)
  const own = { ...requests, ...schemasOf(outputs, 'output', refTo) }
  const hasConditions = JSON.stringify(own).includes(CONDITION_REF.$ref)
  const components = sorted({ ...own, ...(hasConditions && conditionSchemas()) })
  describeAlternatives(Object.values(components))
  for (const request of Object.values(requests)) describeDefaults(request)
  return { input: reference(inputs), output: reference(outputs), components }
}

/** An operation that reads one resource. Its answer is named after the resource. */
const readsOne = ({ route }: Operation) => route.method === 'GET' && route.path.endsWith('}')

/** Sorts changes first, so that a shape shared with a check is named after the change. */
const changesFirst = (one: Operation, other: Operation) =>
  Number(changesSomething(other.route)) - Number(changesSomething(one.route))

/** No body, or a text that is not JSON. */
const isBodiless = (schema: z.ZodType) => schema instanceof z.ZodUndefined || mediaTypeOf(schema) !== undefined

/** The media type of an answer that is not JSON. */
export function mediaTypeOf(schema: z.ZodType): string | undefined {
  const { contentMediaType } = schema.meta() ?? {}
  return typeof contentMediaType === 'string' ? contentMediaType : undefined
}

/** The item of a list response, if it is an object. */
function itemOf(response: z.ZodType): z.ZodType | undefined {
  const items = response instanceof z.ZodObject ? response.shape.items : undefined
  return items instanceof z.ZodArray && items.element instanceof z.ZodObject ? items.element : undefined
}

const reference = (registry: Registry) => (schema: z.ZodType) => {
  const id = registry.get(schema)?.id
  if (!id) throw new Error('a shape of an operation has no name')
  return { $ref: refTo(id) }
}

const sorted = <T>(members: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)))
