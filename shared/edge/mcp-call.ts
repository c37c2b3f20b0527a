// The members of a message of the Model Context Protocol that the layers read before its handler runs.
import type { Call } from '../base/wire/call.ts'
import { type JsonObject, objectAt, textAt } from '../base/wire/parse-body.ts'
import type { Route } from '../base/wire/route.ts'
import { OWN_PREFIX } from '../govern/manifests/tool-names.ts'

/** Of `_meta`, for clients that cannot set headers. */
const IDEMPOTENCY_KEY = 'countersign/idempotency_key'

type Sent = Pick<Call, 'sent'>

/** The params of a call of an action; undefined for all other messages. */
function actionCall({ sent }: Sent): JsonObject | undefined {
  const params = objectAt(sent, 'params')
  const name = textAt(params, 'name')
  return sent.method === 'tools/call' && name !== undefined && !name.startsWith(OWN_PREFIX) ? params : undefined
}

/** Whether a request uses up what the plan includes; of one endpoint for many messages, only calls of actions do. */
export const asksForAction = ({ dialect }: Pick<Route, 'dialect'>, call: Sent): boolean =>
  dialect !== 'mcp' || actionCall(call) !== undefined

/** The members that a repeat has in common with its first try: clients number each message anew. */
export const sameCall = (sent: JsonObject): JsonObject => {
  const { name, arguments: args } = actionCall({ sent }) ?? {}
  return { name, arguments: args }
}

/** The key of the header or of the message itself. Only calls of actions take one. */
export function keyOfCall(call: Pick<Call, 'sent' | 'headers'>): string | undefined {
  const params = actionCall(call)
  return params && (call.headers['idempotency-key'] ?? textAt(objectAt(params, '_meta'), IDEMPOTENCY_KEY))
}
