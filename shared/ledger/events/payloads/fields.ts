// Building blocks of event payloads. `data` holds whole numbers only: languages spell fractions differently (Python writes
// 1e-7 as 1e-07), so signatures over canonical JSON would differ.
import * as z from 'zod'

export const text = z.string()
/** Null when there is none; a member is never left out. */
export const maybeText = text.nullable()
export const whole = z.int()
export const maybeWhole = whole.nullable()
export const flag = z.boolean()
export const texts = z.array(z.string())
export const tier = z.enum(['AUTO', 'SOFT', 'HARD'])
export const severity = z.enum(['info', 'low', 'medium', 'high', 'critical']).describe('The severity.')

/** Who caused an event. */
export const actor = z.strictObject({
  type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
  id: text.describe('Id of the caller.'),
})

/** Members of every payload except the two that the API specification defines. */
const common = {
  actor: actor.describe('Who caused it.'),
  evidence_artifact_id: maybeText.describe('Id of the artifact that proves it.'),
}
const commonExample = {
  actor: { type: 'api_key', id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM' },
  evidence_artifact_id: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V',
} as const

/** A payload of our own: strict schema with the common members, and an example of it. */
export const payload = <const S extends z.ZodRawShape>(shape: S, example: z.input<z.ZodObject<S>>) => ({
  schema: z.strictObject({ ...shape, ...common }),
  example: { ...example, ...commonExample },
})

/** A payload whose members the API specification defines exactly. */
export const published = <const S extends z.ZodRawShape>(shape: S, example: z.input<z.ZodObject<S>>) => ({
  schema: z.strictObject(shape),
  example,
})
