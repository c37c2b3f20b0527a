// What approvers read and approve: the payload of the execution. Whatever it does not say was not approved.
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { canonicalJson, given } from '../../base/lib/json.ts'
import type { RoutingUpdate } from './update.ts'

type Said = Pick<
  RoutingUpdate,
  | 'type'
  | 'node_id'
  | 'action_id'
  | 'slot'
  | 'endpoint_sha256'
  | 'model_sha256'
  | 'from'
  | 'to'
  | 'loosens'
  | 'rationale'
>

export function payloadOf(update: Said): JsonObject {
  const { type, node_id, action_id, slot, endpoint_sha256, model_sha256, from, to, loosens, rationale } = update
  return given({ type, node_id, action_id, slot, endpoint_sha256, model_sha256, from, to, loosens, rationale })
}

/** Whether the update says what was approved. */
export const saysTheSame = (update: Said, approved: JsonObject | null): boolean =>
  approved !== null && canonicalJson(payloadOf(update)) === canonicalJson(approved)
