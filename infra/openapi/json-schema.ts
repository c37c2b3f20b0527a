// zod → JSON Schema 2020-12, the dialect of OpenAPI 3.1, where zod's own conversion knows too little: transforms, custom
// types, and what a client may rely on.
import * as z from 'zod'

export type JsonSchema = Record<string, unknown>
/** What may be sent, or what is answered: the same shape reads differently. */
export type Direction = 'input' | 'output'
export type Registry = z.core.$ZodRegistry<{ id: string }>

/** Every shape of the registry by its name; where one stands inside another there is a reference to `uri`. */
export function schemasOf(registry: Registry, io: Direction, uri: (id: string) => string): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { ...describing(io), uri })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]))
}

/** A single shape without references. */
export const schemaOf = (schema: z.core.$ZodType, io: Direction): JsonSchema =>
  bare(z.toJSONSchema(schema, describing(io)))

const bare = ({ $schema: _, $id: __, ...schema }: JsonSchema): JsonSchema => schema

/** How zod's types that JSON Schema does not know are described. */
const describing = (io: Direction) => ({
  target: 'draft-2020-12' as const,
  io,
  unrepresentable: ({ zodSchema }: { zodSchema: z.core.$ZodType }) => (isObjectLike(zodSchema) ? OBJECT : ANY),
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }) => {
    if (zodSchema instanceof z.ZodObject) describeObject(zodSchema, jsonSchema, io)
    if (zodSchema instanceof z.ZodPipe) describePipe(zodSchema, jsonSchema, io)
  },
})

const OBJECT = { type: 'object' as const }
const ANY = 'any' as const

/** A custom type says nothing of itself, so it is asked: an object is what takes the empty one and no list. */
const isObjectLike = (schema: z.core.$ZodType) =>
  z.safeParse(schema, {}).success && !z.safeParse(schema, []).success && !z.safeParse(schema, null).success

/** Clients ignore members they do not know, so replies are never closed. An absent member of a request has its default. */
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
  const optional = new Set(
    whenAbsent.flatMap(([member, { success, data }]) => (success && data === undefined ? member : [])),
  )
  described.required = required.filter((member) => !optional.has(member))
}

function setDefault(schema: JsonSchema | undefined, value: unknown): void {
  if (schema) schema.default ??= value
}

/**
 * An optional member takes null for absence, and its transform turns it into absence or a default. Its description leaves
 * the null out, on both sides. Throws for the outcome of any other transform, which cannot be known.
 */
function describePipe(pipe: z.ZodPipe, described: JsonSchema, io: Direction): void {
  if (!(pipe.out instanceof z.ZodTransform)) return
  const inner = z.safeParse(pipe.in, null).success ? withoutNull(pipe.in) : undefined
  if (!inner && io === 'output') throw new Error('the outcome of a transform cannot be described')
  if (!inner) return
  const { default: value } = described
  for (const member of Object.keys(described)) delete described[member]
  Object.assign(described, schemaOf(inner, io), value !== undefined && { default: value })
}

/** What a wrapper that also takes null or nothing wraps; undefined for anything else. */
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
