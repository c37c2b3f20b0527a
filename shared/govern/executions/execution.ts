// The stored execution. Ids, facts and decisions are in clear; payload and output are sealed.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { sha256 } from '../../base/lib/json.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { iso } from '../../base/lib/clock.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { EXECUTION_STATUSES } from './states.ts'

const Sealed = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** How a call of a target failed; `code` is one of the closed list. */
export const ExecutionError = z.object({
  code: z.string().describe('The cause of the error, for programs.'),
  http_status: z.int().optional().describe("The HTTP status of the target's response."),
  message: z.string(),
})
export type ExecutionError = z.output<typeof ExecutionError>

export const RoutingDecision = z.object({
  strategy: z.string().describe('How the tier was determined: from the manifest, a routing rule or an undo.'),
  tier: z
    .enum(['AUTO', 'SOFT', 'HARD'])
    .describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
  kind: z.string().describe('The kind of the action.'),
  confidence: z.number().describe('How certain the classification is, from 0 to 1.'),
  risk: z.number().describe('How risky the action is, from 0 to 100.'),
  reasons: z
    .array(
      z.object({
        signal: z.string().describe('The signal that was found.'),
        value: z.string().optional().describe('The value of the signal.'),
        floor: z.string().optional().describe('The lowest tier that this allows.'),
      }),
    )
    .describe('The reasons for the tier.'),
  budget_exceeded: z.literal(true).optional().describe('Whether the decision took longer than `latency_budget_ms`.'),
})

/** The approval of a held execution, as its first answer shows it. */
export const HeldView = z.object({
  id: z.string().describe('Id of the approval.'),
  expires_at: z.string().describe('When it expires.'),
  action_digest: z
    .string()
    .describe('SHA-256, hex, of the exact bytes of the action. An approval holds only for these bytes.'),
  stages: z
    .array(
      z.object({
        groups: z.array(z.string()).describe('Who may decide: roles, groups of the directory, people or keys.'),
        min_approvals: z.int().describe('The number of approvals that are needed.'),
      }),
    )
    .describe('The groups that must agree, one stage after the other.'),
})

/** The outcome that test mode gives instead of calling the target. */
export const Sandbox = z.object({
  outcome: z.enum(['success', 'failure', 'timeout']),
  delay_ms: z.int().optional(),
})
export type Sandbox = z.output<typeof Sandbox>

export const Execution = z.lazy(() =>
  z.object({
    ...resourceMembers,
    status: z.enum(EXECUTION_STATUSES).describe('The current state.'),
    node_id: z.string().describe('Id of the node.'),
    action_id: z.string().describe('Id of the action in its manifest.'),
    version: z.string().describe('Version of the manifest.'),
    manifest_sha256: z.string(),
    requested_by: z
      .object({
        type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
        id: z.string().describe('Id of the caller.'),
      })
      .describe('The caller that requested it.'),
    /** The OAuth client through which a person requested it. */
    client_id: z.string().optional().describe('Id of the OAuth client.'),
    /** The people behind the requester. */
    persons: z.array(z.string()),
    agent_id: z
      .string()
      .optional()
      .describe('Id of the agent, which is bound to the credential or stated in the request.'),
    /** The credential names the agent; when absent, only the request does. */
    agent_bound: z
      .literal(true)
      .optional()
      .describe('Whether the agent is bound to the credential. An agent that is only stated never loosens a decision.'),
    /** How the program of the caller calls itself. */
    client: z.object({ name: z.string(), version: z.string().optional() }).optional(),
    trace_id: z.string(),
    correlation_id: z.string(),
    decision_contract_id: z.int().optional(),
    /** Tier and approval that the caller asked for, stored for the second decision on a held action. */
    asked: z.object({ require_approval: z.boolean(), tier: z.enum(['AUTO', 'SOFT', 'HARD']).optional() }).partial(),
    /** JSON of the scalars that the caller declared. */
    context: z.string().optional(),
    /** Only of a held action; see first-transaction.ts. */
    origin: Sealed.optional(),
    sandbox: Sandbox.optional(),
    /** See unpackUsed in learned/learned.ts. */
    learned: z.string().optional(),
    /** JSON of the routing decision. */
    routing: z.string(),
    /** See evaluations.ts. */
    evaluations: z.string(),
    policy_set_version: z.string(),
    latency_ms: z.int(),
    /** A hint of the caller; it never stops anything. */
    latency_budget_ms: z.number().optional(),
    retries: z.int(),
    payload: Sealed.optional(),
    /** The payload is too long for this item and is stored in its own. */
    payload_apart: z.literal(true).optional(),
    payload_commitment: z.string(),
    subject_ref: z.string().optional(),
    output: Sealed.optional(),
    simulated: z.literal(true).optional(),
    error: ExecutionError.optional(),
    rejection: z
      .object({
        policy_id: z.string(),
        detail: z.string(),
        /** Only earlier actions refused it: a limit, a sequence or a repeat. */
        history: z.literal(true).optional(),
        /** Seconds after which limits would let it pass. */
        retry_after_s: z.int().optional(),
      })
      .optional(),
    /** The counters that it was added to; see packLimitUse in limits/item.ts. */
    counted: z.string().optional(),
    held: HeldView.optional(),
    /** Status of the first answer, which a repeat with the same Idempotency-Key receives again. */
    answered: z.enum(EXECUTION_STATUSES).optional(),
    /** The first decision, where a second one has replaced it: a receipt never changes. */
    first: z
      .object({
        version: z.string(),
        routing: z.string(),
        evaluations: z.string(),
        policy_set_version: z.string(),
        held: HeldView.optional(),
      })
      .optional(),
    artifacts: z.array(z.object({ artifact_id: z.string(), type: z.string(), hash: z.string(), at: z.string() })),
    /** When another process may take over, and the number of the present call. */
    lease_until: z.string().optional(),
    attempt: z.int().optional(),
    executed_at: z.string().optional().describe('When the action ran.'),
    /** Its target answered 201, that it made something. */
    created: z.literal(true).optional(),
    undo_until: z.string().optional().describe('When the action can no longer be undone.'),
    undo: z
      .object({
        /** `marked`: there is no undo action, so nothing ran, and the caller takes the action back. */
        state: z.enum(['running', 'held', 'refused', 'failed', 'done', 'marked']),
        action_id: z.string().optional(),
        request_id: z.string().optional(),
        by: z.string(),
        at: z.string(),
        reason: z.string().optional(),
      })
      .optional(),
    /** How somebody else said that it ended, and its status before. */
    report: z
      .object({
        outcome: z.enum(['succeeded', 'failed']),
        of: z.enum(['executed', 'outcome_unknown']),
        by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
        at: z.string(),
      })
      .optional(),
    report_note: Sealed.optional(),
    undo_of: z.string().optional(),
    /** The grant under which it ran without an approval of its own. */
    grant_id: z.string().optional(),
    task_id: z.string().optional(),
  }),
)
export type Execution = z.output<typeof Execution>

export const LIST_SHARDS = 8
/** A longer payload gets its own item, so that a change of status does not write it again. */
export const PAYLOAD_INLINE_BYTES = 8_192

export const executions = entity({
  name: 'EXEC',
  unbound: 'proven by artifacts',
  schema: Execution,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'EXEC', of.id), sk: 'EXEC' }),
  index: (item) => ({
    gsi1pk: listPartition(item, iso(timeOfId(item.id)).slice(0, 7), shardOf(item.id)),
    gsi1sk: item.id,
    ...dueAt(item.lease_until, item.id),
    ...(item.subject_ref && { gsi3pk: subjectPartition(item, item.subject_ref), gsi3sk: item.id }),
  }),
})

/** The executions of one data subject, which an erasure has to find. */
export const subjectPartition = (space: Space, subjectRef: string): string => spaceKey(space, 'SUBJECT', subjectRef)

/** A long payload; it is written once and never changed. */
export const payloads = entity({
  name: 'PAYLOAD',
  unbound: 'proven by artifacts',
  schema: z.object({ ...resourceMembers, payload: Sealed }),
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'EXEC', of.id), sk: 'PAYLOAD' }),
})

const shardOf = (id: string) => (sha256(id)[0] ?? 0) % LIST_SHARDS

/** The list of one month. Ids are ordered by time, so they are its sort key. */
export const listPartition = (space: Space, month: string, shard: number): string =>
  spaceKey(space, 'EXECS', month, String(shard))
