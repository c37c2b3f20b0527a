// Converts zod to JSON Schema 2020-12, the dialect of OpenAPI 3.1. It adds to zod's own conversion: transforms, custom
// types, and rules for clients.
import * as z from 'zod'
import { Condition } from '../../shared/govern/governance/policy.ts'
import { CONDITION_REF } from './conditions.ts'
import { portable } from './portable.ts'

export type JsonSchema = Record<string, unknown>
/** Requests or answers: one shape has a different schema for each. */
export type Direction = 'input' | 'output'
export type Registry = z.core.$ZodRegistry<{ id: string }>

/** Every shape of the registry by name. A nested shape becomes a reference to `uri`. */
export function schemasOf(registry: Registry, io: Direction, uri: (id: string) => string): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { ...describing(io), uri })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]))
}

/** A single shape without references. */
export const schemaOf = (schema: z.core.$ZodType, io: Direction): JsonSchema =>
  bare(z.toJSONSchema(schema, describing(io)))

const bare = ({ $schema: _, $id: __, ...schema }: JsonSchema): JsonSchema => portable(schema)

/** Schemas of zod types that JSON Schema does not have. */
const describing = (io: Direction) => ({
  target: 'draft-2020-12' as const,
  io,
  unrepresentable: ({ zodSchema }: { zodSchema: z.core.$ZodType }) => (isObjectLike(zodSchema) ? OBJECT : ANY),
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }) => {
    if (zodSchema instanceof z.ZodObject) describeObject(zodSchema, jsonSchema, io)
    if (zodSchema instanceof z.ZodPipe) describePipe(zodSchema, jsonSchema, io)
    if (zodSchema === Condition) Object.assign(jsonSchema, CONDITION_REF)
  },
})

/** Any object. Without `additionalProperties`, generators make it an object without members. */
export const OBJECT = { type: 'object' as const, additionalProperties: true }
const ANY = 'any' as const

/** Tests what a custom type accepts: it is an object if it accepts `{}` and refuses `[]`. */
const isObjectLike = (schema: z.core.$ZodType) =>
  z.safeParse(schema, {}).success && !z.safeParse(schema, []).success && !z.safeParse(schema, null).success

/** Answers are open, because clients ignore unknown members. In requests a member with a default is optional. */
function describeObject(object: z.ZodObject, described: JsonSchema, io: Direction): void {
  const { properties = {}, required = [] } = described as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  const whenAbsent = Object.entries(object.shape).map(
    ([member, schema]) => [member, z.safeParse(schema, undefined)] as const,
  )
  if (io === 'input') {
    for (const [member, { data }] of whenAbsent) if (data !== undefined) setDefault(properties[member], data)
    return
  }
  if (described.additionalProperties === false) delete described.additionalProperties
  if ('$ref' in described) return // a named shape as a member that has its own description
  const optional = new Set(
    whenAbsent.flatMap(([member, { success, data }]) => (success && data === undefined ? member : [])),
  )
  described.required = required.filter((member) => !optional.has(member))
}

function setDefault(schema: JsonSchema | undefined, value: unknown): void {
  if (schema) schema.default ??= value
}

/**
 * An optional member also accepts null, which its transform turns into undefined or a default. The schema leaves the null
 * out. Throws for the output of any other transform, because it is unknown.
 */
function describePipe(pipe: z.ZodPipe, described: JsonSchema, io: Direction): void {
  if (!(pipe.out instanceof z.ZodTransform)) return
  const inner = z.safeParse(pipe.in, null).success ? withoutNull(pipe.in) : undefined
  if (!inner && io === 'output') throw new Error('the output of a transform has no schema')
  if (!inner) return
  const { default: value, description } = described
  for (const member of Object.keys(described)) delete described[member]
  Object.assign(
    described,
    schemaOf(inner, io),
    value !== undefined && { default: value },
    description !== undefined && { description },
  )
}

/** The inner type of an optional or nullable wrapper; undefined for other types. */
function withoutNull(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const inner = schema.unwrap()
    return withoutNull(inner) ?? inner
  }
  if (schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform) return withoutNull(schema.in)
  if (!(schema instanceof z.ZodUnion)) return undefined
  const [first, second, ...others] = schema.options
  return second instanceof z.ZodNull && others.length === 0 ? first : undefined
}
