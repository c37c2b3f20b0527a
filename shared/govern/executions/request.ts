// What an execution request may say (API specification), with our documented extensions.
import * as z from 'zod'
import { displayName, freeForm, optional, plainText } from '../../base/wire/fields.ts'
import { NODE_ID } from '../manifests/node.ts'
import type { Context } from '../../base/context.ts'
import type { Governance } from '../governance/governance.ts'
import { HttpResponse, httpResponse } from '../../base/wire/call.ts'
import type { Execution } from './execution.ts'
import { openExecution, readRef } from './sealed/open-execution.ts'
import { firstExecutionView } from './execution-view.ts'
import { type Visible, visibleNow, visibleUnder } from './sealed/visible.ts'
import type { ExecutionStatus } from './states.ts'
import type { Submitted } from './submission.ts'

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

/** Every status that is not listed is a 200. */
const HTTP_STATUS: Partial<Record<ExecutionStatus, number>> = {
  pending_approval: 202,
  rejected: 403,
  failed: 502,
  outcome_unknown: 502,
}

/** The response to the execution request. Reading the execution later is always a 200. */
export const executionResponse = async (
  { execution, opened, repeated }: Submitted,
  { settings }: Governance,
): Promise<HttpResponse> => {
  const visible = await visibleUnder(settings, opened)
  return repeated ? repeatedResponse(execution, visible) : firstResponse(execution, visible)
}

/** An equal request waits already, so nothing of this one was stored but its Idempotency-Key. */
function repeatedResponse(execution: Execution, visible: Visible): HttpResponse {
  const { status, body, headers } = firstResponse(execution, visible)
  return new HttpResponse(status, { ...(body as object), repeated: true }, { headers, unchanged: true })
}

function firstResponse(execution: Execution, visible: Visible): HttpResponse {
  const body = firstExecutionView(execution, visible)
  const wait = body.status === 'rejected' ? execution.rejection?.retry_after_s : undefined
  const headers = {
    ...(body.approval && { Location: `/api/v1/work/approvals/${body.approval.id}` }),
    ...(wait !== undefined && { 'Retry-After': String(wait) }),
  }
  return httpResponse(HTTP_STATUS[body.status] ?? 200, body, headers)
}

/** The first response again, for a repeat with the same Idempotency-Key; undefined while the target has not answered. */
export async function replayExecution(ctx: Context, ref: string): Promise<HttpResponse | undefined> {
  const { id, repeated } = readRef(ref)
  const { execution, opened } = await visibleNow(ctx, openExecution(ctx, id))
  return execution.answered && (repeated ? repeatedResponse : firstResponse)(execution, opened)
}
