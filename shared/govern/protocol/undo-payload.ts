// The payload of an undo action. It holds only what the undone execution holds, and nothing from the undo request.
import { valueAt, stepsOf } from '../governance/conditions/pointer.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { canonicalJson, type Json } from '../../base/lib/json.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Endpoint } from '../manifests/manifest.ts'
import { described } from '../executions/call-target.ts'
import type { Opened } from '../executions/execution-view.ts'

/** A sealed payload is one item of the table (400 KB). */
const PAYLOAD_BYTES_MAX = 368_640

/** `undo` is that of the manifest. Throws 409 for an exact inverse whose target named no id. */
export function undoPayload(request_id: string, { payload, output }: Opened, undo: Endpoint['undo']): JsonObject {
  if (undo) return fitting({ request_id, id: idIn(output, undo.id_from), output })
  return fitting({ request_id, payload, ...(output !== undefined && { output }) })
}

/** An exact inverse acts on the id in the target's output, never on the payload, which the agent chose. */
function idIn(output: Json | undefined, pointer: string): string | number {
  const id = valueAt(output, stepsOf(pointer) ?? [])
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return id
  throw conflict(
    `The output of the target has no id at ${pointer}, so this action cannot be undone automatically. Undo it by hand.`,
  )
}

/** Payload and output may together be too long; then the output is only described. */
function fitting(whole: JsonObject): JsonObject {
  if (Buffer.byteLength(canonicalJson(whole)) <= PAYLOAD_BYTES_MAX) return whole
  return { ...whole, output: described(Buffer.from(canonicalJson(whole.output))) }
}
