// The building blocks of event payloads. `data` holds whole numbers only: a fraction has no single spelling across
// languages (Python writes 1e-7 as 1e-07), so canonical JSON, and with it a signature, would differ.
import * as z from 'zod'

export const text = z.string()
/** Null where there is none: a member is never left out. */
export const maybeText = text.nullable()
export const whole = z.int()
export const maybeWhole = whole.nullable()
export const flag = z.boolean()
export const texts = z.array(z.string())
export const tier = z.enum(['AUTO', 'SOFT', 'HARD'])
export const severity = z.enum(['info', 'low', 'medium', 'high', 'critical'])

/** Who caused an event. */
export const actor = z.strictObject({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: text })

/** What every payload except the two published shapes carries besides its own members. */
const common = { actor, evidence_artifact_id: maybeText }
const commonExample = {
  actor: { type: 'api_key', id: 'key_01JD3Q8Z5N7V2W9X4Y6T1S0RPM' },
  evidence_artifact_id: 'art_01JD3Q8Z5N2E4G6J8M0P2R4T6V',
} as const

/** A payload of our own: strict schema with the common members, and an example of it. */
export const payload = <const S extends z.ZodRawShape>(shape: S, example: z.input<z.ZodObject<S>>) => ({
  schema: z.strictObject({ ...shape, ...common }),
  example: { ...example, ...commonExample },
})

/** A payload whose members are published letter for letter (access-events-limits.md, "Payload envelope"). */
export const published = <const S extends z.ZodRawShape>(shape: S, example: z.input<z.ZodObject<S>>) => ({
  schema: z.strictObject(shape),
  example,
})
