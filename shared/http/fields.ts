// Building blocks of request shapes.
import * as z from 'zod'
import type { JsonObject } from './door.ts'

/** Optional, with `null` counting as absent. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)

/** A free-form object. The door has already refused what could not be carried exactly. */
export const freeForm = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object' },
)

/** Text without control characters, for names that are shown, logged and sent. */
export const plainText = (max: number, min = 1) =>
  z
    .string()
    .min(min)
    .max(max)
    // oxlint-disable-next-line no-control-regex -- control characters are what it refuses
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters')
