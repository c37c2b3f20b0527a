// What an undo action is given: only what the execution holds that it undoes, never a word of whoever asks for the undo.
import { valueAt, stepsOf } from '../governance/pointer.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { canonicalJson, type Json } from '../../base/lib/canonical-json.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Endpoint } from '../manifests/manifest.ts'
import { described } from './call-target.ts'
import type { Opened } from './execution-view.ts'

/** A payload is sealed in one item of the table (400 KB). */
const PAYLOAD_BYTES_MAX = 368_640

/** `undo` is what the manifest says of the pair. Throws the 409 of an exact inverse whose target named nothing. */
export function undoPayload(request_id: string, { payload, output }: Opened, undo: Endpoint['undo']): JsonObject {
  if (undo) return fitting({ request_id, id: idIn(output, undo.id_from), output })
  return fitting({ request_id, payload, ...(output !== undefined && { output }) })
}

/** What an exact inverse acts on is what the target itself made: the agent chose the payload. */
function idIn(output: Json | undefined, pointer: string): string | number {
  const id = valueAt(output, stepsOf(pointer) ?? [])
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return id
  throw conflict(`The output of the target has no id at ${pointer}, so it is not known what to undo. Undo it by hand.`)
}

/** Payload and output, each as long as one may be, do not fit together: then the output is only described. */
function fitting(whole: JsonObject): JsonObject {
  if (Buffer.byteLength(canonicalJson(whole)) <= PAYLOAD_BYTES_MAX) return whole
  return { ...whole, output: described(Buffer.from(canonicalJson(whole.output))) }
}
