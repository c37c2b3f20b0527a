// Checks the payload of a request against its action, and loads the checkers only where there is something to check.
import type { Violation } from '../../base/lib/failure.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { LoadedAction } from './load.ts'

/** How a payload breaks the action's schema. The checker is loaded with the first action that has a schema. */
export async function payloadViolations(
  { endpoint, manifest_sha256 }: LoadedAction,
  payload: JsonObject,
): Promise<Violation[]> {
  if (!endpoint.input_schema) return []
  const { checkPayload } = await import('./payload-check.ts')
  const violations = checkPayload(`${manifest_sha256}/${endpoint.action_id}`, endpoint.input_schema, payload)
  if (violations.length > 0 || endpoint.target?.type !== 'connection') return violations
  const { requestViolations } = await import('./connection-request.ts')
  return requestViolations(endpoint.target, payload)
}
