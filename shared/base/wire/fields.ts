// Building blocks of request shapes.
import * as z from 'zod'
import type { JsonObject } from './parse-body.ts'

/** Optional, with `null` counting as absent. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)

/** A free-form object. The door has already refused what could not be carried exactly. */
export const freeForm = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  // As a wrong type and not as a broken rule it is told apart from a missing field.
  { error: 'must be an object', params: { expected: 'object' } },
)

/** Text without control characters, for names that are shown, logged and sent. */
export const plainText = (max: number, min = 1) =>
  z
    .string()
    .min(min)
    .max(max)
    // oxlint-disable-next-line no-control-regex -- control characters are what it refuses
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters')

/** What can name a thing at all; nothing else may become part of a key. */
export const ID = /^[A-Za-z0-9._~:@-]{1,128}$/

/** The id of a thing in a body. One that no thing can have is a broken rule; one that no thing has is not found. */
export const id = z.string().regex(ID, 'must be an id')
