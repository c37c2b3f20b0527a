// Building blocks of request schemas.
import * as z from 'zod'
import { isDisplayName } from '../lib/names.ts'
import type { JsonObject } from './parse-body.ts'

/** Optional; `null` means absent. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)

/** A free-form object. Body parsing has already refused values that cannot be carried exactly. */
export const freeForm = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  // `expected` makes this a type error, so that a missing object is reported as a missing field.
  { error: 'must be an object', params: { expected: 'object' } },
)

/** Text without control characters, for what is displayed, logged and sent. Names are `displayName`. */
export const plainText = (max: number, min = 1) =>
  z
    .string()
    .min(min)
    .max(max)
    // oxlint-disable-next-line no-control-regex -- this expression refuses control characters
    .regex(/^[^\u0000-\u001f\u007f]*$/, { error: 'must not hold control characters', abort: true })

/** A name that people read when they decide. */
export const displayName = (max: number, min = 1) =>
  plainText(max, min).refine(
    (text) => text === '' || isDisplayName(text), // whether it may be empty, `min` says
    'must hold a visible character, and none that is invisible or changes the direction of reading',
  )

/** For `meta` of an object that must have exactly one of these members: the reference shows the rule that its own check enforces. */
export const eitherOf = (...members: string[]) => ({
  oneOf: members.map((member) => ({
    type: 'object',
    properties: { [member]: {} },
    required: [member],
    unevaluatedProperties: true,
  })),
})

/** The form of every id; only such text may become part of a key. */
export const ID = /^[A-Za-z0-9._~:@-]{1,128}$/

/** An id in a body. A malformed id is a 422, an unknown one a 404. */
export const id = z.string().regex(ID, 'must be an id')
