// Looks into JSON that no schema has described.
import type { JsonObject } from './parse-body.ts'

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member that is an object; anything else counts as absent. */
export const objectAt = (of: JsonObject | undefined, name: string): JsonObject | undefined => {
  const value = of?.[name]
  return isObject(value) ? value : undefined
}

export const textAt = (of: JsonObject | undefined, name: string): string | undefined => {
  const value = of?.[name]
  return typeof value === 'string' ? value : undefined
}
