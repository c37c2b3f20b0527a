import { payloadChecks } from './input-schema.ts'

/** Compiled schemas of this container, by manifest version and action. */
const checks = payloadChecks()

export const checkPayload = (key: string, schema: Record<string, unknown>, payload: unknown) =>
  checks(key, schema)(payload)
