// What an execution request may say (API specification), with our documented extensions.
import * as z from 'zod'
import { displayName, freeForm, optional, plainText } from '../../base/wire/fields.ts'
import { NODE_ID } from '../manifests/node-id.ts'

const RoutingHints = z.looseObject({ latency_budget_ms: optional(z.number().nonnegative()) })

/** Unknown members are refused, so that a misspelt `require_approval` is not ignored. */
const PolicyContext = z.strictObject({
  require_approval: optional(z.boolean()),
  persona_key: optional(plainText(120)),
  data_subject: optional(z.string().min(1).max(256)),
  agent_id: optional(displayName(120)),
  sandbox: optional(
    z.strictObject({
      outcome: z.enum(['success', 'failure', 'timeout']),
      delay_ms: optional(z.int().min(0).max(5_000)),
    }),
  ),
  context: optional(freeForm),
})

export const ExecuteBody = z.strictObject({
  node_id: z.string().regex(NODE_ID, 'must match namespace.category.name'),
  action_id: z.string().min(1).max(128),
  payload: freeForm,
  decision_contract_id: optional(z.int()),
  routing_hints: optional(RoutingHints),
  policy_context: optional(PolicyContext),
})
export type ExecuteBody = z.output<typeof ExecuteBody>
