// The body that answers an execution request, its repetition and every later reading: the present state, or the state of
// the first answer.
import * as z from 'zod'
import type { Json } from '../../base/lib/json.ts'
import { freeForm } from '../../base/wire/fields.ts'
import { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { isFreeze } from '../governance/freeze.ts'
import { REFUSED_BEFORE } from '../governance/decide/tiers.ts'
import { type Execution, ExecutionError, HeldView, RoutingDecision } from './execution.ts'
import { EXECUTION_STATUSES, type ExecutionStatus } from './states.ts'
import { Evaluation, unpackEvaluations } from './evaluations.ts'

/** What was decided, by which policies, and the artifact that proves it. */
export const Receipt = z.object({
  request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
  trace_id: z.string().describe('Id of the trace (W3C Trace Context).'),
  correlation_id: z.string().describe('The `X-Correlation-Id` of the request, or else the request id.'),
  node_id: z.string().describe('Id of the node.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  version: z.string().describe('Version of the manifest.'),
  /** The credential of the request names the agent. */
  agent_bound: z
    .boolean()
    .describe('Whether the agent is bound to the credential. An agent that is only stated never loosens a decision.'),
  client_id: z.string().optional().describe('The OAuth client through which a person requested the action.'),
  /** The program of the caller, as it calls itself: a claim. */
  client: z
    .object({
      name: z.string().describe('A name for people.'),
      version: z.string().optional().describe('Its version, a claim as well.'),
    })
    .optional()
    .describe('The program of the caller, as it calls itself: a claim.'),
  policy_evaluations: z.array(Evaluation).describe('The result of each policy in scope.'),
  routing_decision: RoutingDecision.describe('How the tier was determined.'),
  latency_ms: z.int().describe('How long it took, in ms.'),
  retries: z.int().describe('How often the decision was repeated because of a concurrent change.'),
  policy_set_version: z.string().describe('The version of the policy set and settings that decided.'),
  /** The grant under which it ran without an approval of its own. */
  grant_id: z.string().optional().describe('The grant that lets the same action run without an approval of its own.'),
  evidence_artifact_id: z.string().optional().describe('Id of the artifact that proves it.'),
  evidence_hash: z.string().optional().describe('Hash of the artifact, hex.'),
})

/**
 * Until somebody has decided, nobody learns the opinion of a model: approvers would follow it, and the next model would be
 * trained on what this one thinks.
 */
export const shownEvaluations = <E extends { score?: number | undefined }>(all: readonly E[], decided: boolean): E[] =>
  decided ? [...all] : all.map(({ score: _, ...one }) => one as E)

/** Of the first decision; nothing that happens later changes it. */
function receiptOf(execution: Execution, status: ExecutionStatus): z.input<typeof Receipt> {
  const { version, routing, evaluations, policy_set_version } = execution.first ?? execution
  const routing_decision: z.output<typeof RoutingDecision> = JSON.parse(routing)
  const proof = proofOf(execution)
  return {
    request_id: execution.id,
    trace_id: execution.trace_id,
    correlation_id: execution.correlation_id,
    node_id: execution.node_id,
    action_id: execution.action_id,
    version,
    agent_bound: execution.agent_bound ?? false,
    client_id: execution.client_id,
    client: execution.client,
    policy_evaluations: shownEvaluations(unpackEvaluations(evaluations), status !== 'pending_approval'),
    routing_decision,
    latency_ms: execution.latency_ms,
    retries: execution.retries,
    policy_set_version,
    grant_id: execution.grant_id,
    evidence_artifact_id: proof?.artifact_id,
    evidence_hash: proof?.hash,
  }
}

/** The artifact of the first answer: of the request for a held action, of the outcome for one that ran. */
function proofOf({ artifacts, held }: Execution): Execution['artifacts'][number] | undefined {
  const outcome = held ? undefined : artifacts.find(({ type }) => type === 'protocol.executed')
  return outcome ?? artifacts[0]
}

export const ExecutionView = z.object({
  status: z.enum(EXECUTION_STATUSES).describe('The current state.'),
  result: z
    .object({
      status: z.string().describe('The current state.'),
      message: z.string().describe('A message for people.'),
      payload_echo: freeForm.nullable().describe('The payload, with personal data masked if the settings require it.'),
      payload_status: z
        .enum(['sealed', 'erased'])
        .optional()
        .describe('`sealed`: stored encrypted; `erased`: unreadable for ever.'),
      output: z.unknown().optional().describe('The response of the target.'),
      simulated: z.literal(true).optional().describe('Whether the sandbox responded and nothing was called.'),
    })
    .describe('The result of the action.'),
  receipt: Receipt.describe('How the action was decided, and why.'),
  approval: HeldView.optional().describe('The approval that the action waits for, or the approval rule of the policy.'),
  undo_until: z.string().optional().describe('When the action can no longer be undone.'),
  undo_url: z.string().optional().describe('The path at which to undo the action.'),
  undo: z
    .object({
      state: z
        .string()
        .describe(
          'Whether the undo action runs, waits for approval, was refused, failed or is done; `marked`: the action names none, so nothing was called, and whoever asked must take it back.',
        ),
      action_id: z.string().optional().describe('Id of the action in its manifest.'),
      request_id: z.string().optional().describe('Id of the request, also in `X-Request-Id`.'),
      by: z.string().describe('Id of the caller that undid the action.'),
      at: z.string().describe('When it happened.'),
      reason: z.string().optional().describe('The reason, for people.'),
    })
    .optional()
    .describe('How the action was undone.'),
  /** How its requester, or an approver, said that it ended. */
  report: z
    .object({
      outcome: z.enum(['succeeded', 'failed']).describe('The outcome.'),
      by: z
        .object({
          type: z.string().describe('What kind of caller it is.'),
          id: z.string().describe('Id of the caller.'),
        })
        .describe('Who said so.'),
      at: z.string().describe('When it happened.'),
      note: z.string().optional().describe('What they found; absent once it is erased.'),
    })
    .optional()
    .describe('How its requester, or an approver, said that it ended.'),
  evidence: z
    .array(
      z.object({
        artifact_id: z.string().describe('Id of the artifact.'),
        type: z.string().describe('The type of the artifact.'),
        hash: z.string().describe('Hash of the artifact, hex.'),
        at: z.string().describe('When it happened.'),
      }),
    )
    .optional()
    .describe('The artifacts of the execution.'),
  /** Present only when the evidence contradicts the execution. */
  ...RowEvidence.partial().shape,
  detail: z.string().optional().describe('More details.'),
  code: z.string().optional().describe('Why the action did not run, for programs.'),
  trace_id: z.string().optional().describe('Id of the trace (W3C Trace Context).'),
  error: ExecutionError.pick({ code: true, http_status: true }).optional().describe('The cause of the error.'),
  repeated: z
    .literal(true)
    .optional()
    .describe(
      'An equal request of the caller waits already, and this is that one: nothing was stored. Only in the answer to the request.',
    ),
  task_id: z.string().optional().describe('Id of the task.'),
  execution_id: z.string().optional().describe('Id of the execution.'),
  tier: z.string().optional().describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
})
export type ExecutionView = z.input<typeof ExecutionView>

/** The sealed parts of an execution in clear. `payload` is null once it is erased. */
export type Opened = { payload: { [key: string]: Json | undefined } | null; output?: Json | undefined; note?: string }

const RESULTS: Record<ExecutionStatus, { status: string; message: string }> = {
  submitted: { status: 'submitted', message: 'Action submitted.' },
  executing: { status: 'running', message: 'The target is being called.' },
  executed: { status: 'completed', message: 'Action executed.' },
  pending_approval: { status: 'queued', message: 'Waiting for approval.' },
  approved: { status: 'queued', message: 'Approved and about to run.' },
  rejected: { status: 'rejected', message: 'Rejected.' },
  expired: { status: 'rejected', message: 'The approval expired.' },
  cancelled: { status: 'rejected', message: 'Cancelled.' },
  failed: { status: 'failed', message: 'The action failed.' },
  outcome_unknown: { status: 'unknown', message: 'The outcome is not known.' },
  undone: { status: 'undone', message: 'Action undone.' },
}

/** The body of the present state. */
export const executionView = (execution: Execution, opened: Opened): z.input<typeof ExecutionView> => ({
  ...viewOf(execution, opened, execution.status),
  ...(execution.status === 'pending_approval' && { approval: execution.held }),
  ...(execution.undo && { undo: execution.undo }),
  ...(execution.report && { report: { ...execution.report, note: opened.note } }),
})

/** The body of the first answer; nothing that happens later changes it. */
export function firstExecutionView(execution: Execution, opened: Opened): z.input<typeof ExecutionView> {
  const status = execution.answered ?? execution.status
  const held = execution.first?.held ?? execution.held
  return { ...viewOf(execution, opened, status), ...(status === 'pending_approval' && { approval: held }) }
}

function viewOf(execution: Execution, opened: Opened, status: ExecutionStatus) {
  const receipt = receiptOf(execution, status)
  const { id, undo_until, task_id } = execution
  return {
    status,
    result: resultOf(execution, opened, status),
    receipt,
    ...(undo_until && { undo_until, undo_url: `/api/v1/protocol/executions/${id}/undo` }),
    ...refusalOf(execution, status),
    ...(task_id && { task_id, execution_id: id, tier: receipt.routing_decision.tier }),
  }
}

function resultOf(
  { rejection, error, simulated, undo }: Execution,
  { payload, output }: Opened,
  status: ExecutionStatus,
) {
  const hasRun = status === 'executed' || status === 'undone'
  return {
    ...RESULTS[status],
    ...(status === 'rejected' && rejection && { message: 'Rejected by policy.' }),
    ...(status === 'undone' && undo?.state === 'marked' && { message: 'Marked as undone. Nothing was called.' }),
    ...(hasFailed(status) && error && { message: error.message }),
    payload_echo: payload,
    ...(payload === null && { payload_status: 'erased' as const }),
    ...(hasRun && output !== undefined && { output }),
    ...(hasRun && simulated && { simulated }),
  }
}

/** What a freeze or an earlier rejection stopped may be requested again when that is over; what a policy rejected may not. */
export function refusalCode(rejection: Execution['rejection']): 'frozen' | 'refused_before' | 'policy_rejected' {
  if (rejection && isFreeze(rejection)) return 'frozen'
  return rejection?.policy_id === REFUSED_BEFORE ? 'refused_before' : 'policy_rejected'
}

const hasFailed = (status: ExecutionStatus) => status === 'failed' || status === 'outcome_unknown'

/** The members of an error body, for executions that were rejected, failed or have an unknown outcome. */
function refusalOf({ rejection, error, trace_id }: Execution, status: ExecutionStatus) {
  if (status === 'rejected' && rejection) return { detail: rejection.detail, code: refusalCode(rejection) }
  if (!hasFailed(status)) return {}
  return { detail: error?.message ?? RESULTS[status].message, code: 'target_failed', trace_id, error }
}
