// What an execution request may say (API specification), with our documented extensions.
import * as z from 'zod'
import { displayName, freeForm, optional, plainText } from '../../base/wire/fields.ts'
import { NODE_ID } from '../manifests/node-id.ts'

const RoutingHints = z.looseObject({
  latency_budget_ms: optional(z.number().nonnegative()).describe(
    'The time for the decision, in ms. A slower decision is marked.',
  ),
})

/** Unknown members are refused, so that a misspelt `require_approval` is not ignored. */
const PolicyContext = z.strictObject({
  require_approval: optional(z.boolean()).describe('Whether to require an approval even if none is needed.'),
  persona_key: optional(plainText(120)).describe('Key of the persona that the agent uses.'),
  data_subject: optional(z.string().min(1).max(256)).describe(
    'Whom the data is about, in your terms. Erasure finds payloads by it; it is stored as a keyed hash only.',
  ),
  agent_id: optional(displayName(120)).describe(
    'Id of the agent, which is bound to the credential or stated in the request.',
  ),
  sandbox: optional(
    z.strictObject({
      outcome: z.enum(['success', 'failure', 'timeout']).describe('The outcome that the sandbox returns.'),
      delay_ms: optional(z.int().min(0).max(5_000)).describe('How long the sandbox waits before it responds, in ms.'),
    }),
  ).describe('How the sandbox responds. Only in test mode.'),
  context: optional(freeForm).describe('Facts for policies, stated by the caller. They can only tighten the decision.'),
})

export const ExecuteBody = z.strictObject({
  node_id: z.string().regex(NODE_ID, 'must match namespace.category.name').describe('Id of the node.'),
  action_id: z.string().min(1).max(128).describe('Id of the action in its manifest.'),
  payload: freeForm.describe('The payload of the action, exactly as it was sent.'),
  decision_contract_id: optional(z.int()).describe(
    'A number that you choose for the contract that the decision belongs to.',
  ),
  routing_hints: optional(RoutingHints).describe('Preferences of the caller for the decision.'),
  policy_context: optional(PolicyContext).describe(
    "The caller's statements about the request. They can only tighten the decision.",
  ),
})
export type ExecuteBody = z.output<typeof ExecuteBody>
