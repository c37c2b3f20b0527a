// Holds a HARD action: execution and approval are one transaction, and the digest binds them to each other. What the digest covers
// is here, too.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import { heldEvent } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { decided } from '../executions/measures.ts'
import { decisionFacts, eventFacts, firstEvents, sealOrigin } from '../executions/first-transaction.ts'
import { transition } from '../executions/store.ts'
import type { Past, Submission } from '../executions/submission.ts'
import { reachedBy } from '../limits/reached.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { slaPolicyFor } from '../../base/sla/policy.ts'
import { startSla } from '../../base/sla/sla.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import { Called, calledBy, readTargetText, targetText } from '../governance/decide/policy-facts.ts'
import { type Approval, approvals, ASKED } from './approval.ts'
import { noteHeld } from './flood.ts'
import { counts } from './votes/rules.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'

const SALT_BYTES = 16

/** Thrown if an equal request of the same moment has taken the id of the approval. */
export class HeldAlready extends Failure {
  readonly approval_id: string

  constructor(approval_id: string) {
    super('conflict', 'An equal request waits already. Repeat yours.')
    this.approval_id = approval_id
  }
}

/**
 * Afterwards execution and approval wait in the table, with their evidence, and nothing has run. Stages, voters and expiry come from the
 * decision, never from the request. Throws `HeldAlready`, and stores nothing, if an equal request of the same moment has taken the id of
 * the approval.
 */
export async function hold(
  ctx: Context,
  submission: Submission,
  draft: Execution,
  writes: readonly (Write | Following)[],
) {
  const approval = newApproval(ctx, draft, { ...submission, ...submission.past })
  const next: Execution = {
    ...draft,
    status: 'pending_approval',
    answered: 'pending_approval',
    held: heldView(approval),
    origin: await sealOrigin(ctx, draft, submission.origin),
  }
  const { execution, writes: moves } = transition(ctx, undefined, next, [
    {
      facts: { type: 'action.requested', ...decisionFacts(submission, draft), approval: approvalFacts(approval) },
      events: (stored) => {
        const facts = eventFacts(submission, stored)
        return [...firstEvents(submission, facts), heldEvent(facts, approval)]
      },
      measures: [...decided(submission, draft), ASKED],
    },
  ])
  await ctx.table.commit([...writes, ...moves, approvals.insert(approval, new HeldAlready(approval.id))], execution.id)
  noteHeld(ctx, approval.requested_by.id)
  return execution
}

/** The approval of an execution under a decision. */
export function newApproval(
  ctx: Context,
  execution: Execution,
  {
    action,
    decision,
    counting,
    repeat_key,
    approval_id = ctx.id('apr'),
  }: Pick<Submission, 'action' | 'decision' | 'counting'> & Partial<Past>,
): Approval {
  const now = ctx.now()
  const called = calledBy(action)
  const target = called && targetText(called)
  const { kind, risk, reasons } = decision.routing_decision
  return {
    tenant_id: execution.tenant_id,
    mode: execution.mode,
    id: approval_id,
    request_id: execution.id,
    status: 'pending',
    action_digest: digestOf(execution, { target }),
    node_id: execution.node_id,
    action_id: execution.action_id,
    version: execution.version,
    target,
    tier: 'HARD',
    kind,
    risk,
    reasons: reasons.map(({ signal }) => signal),
    requested_by: execution.requested_by,
    requested_at: iso(now),
    client_id: execution.client_id,
    persons: execution.persons,
    agent_id: execution.agent_id,
    agent_bound: execution.agent_bound,
    policy_ids: decision.fired.map(({ policy_id }) => policy_id),
    limits: reachedBy(decision, counting),
    policy_set_version: execution.policy_set_version,
    allow_self: decision.allow_self,
    stages: decision.stages.map((stage, index) => ({ ...stage, status: index === 0 ? 'open' : 'waiting' })),
    stage: 0,
    votes: [],
    expires_at: iso(now + decision.expires_in_s * 1_000),
    sla: newSla(now),
    salt: hex(ctx.random(SALT_BYTES)),
    repeat_key,
    ...(decision.escalate_after_s !== undefined && {
      escalate_at: iso(now + decision.escalate_after_s * 1_000),
      escalate_to: decision.escalate_to,
    }),
  }
}

function newSla(now: number): Approval['sla'] {
  const { status: _, ...sla } = startSla(slaPolicyFor({ kind: 'approval', tier: 'HARD' }), now)
  return sla
}

export const heldView = ({ id, expires_at, action_digest, stages }: Approval) => ({
  id,
  expires_at,
  action_digest,
  stages: stages.map(({ groups, min_approvals }) => ({ groups, min_approvals })),
})

/** The part of an artifact that states an approval. */
export const approvalFacts = (approval: Approval, decision?: string) => ({
  id: approval.id,
  action_digest: approval.action_digest.replace('sha256:', ''),
  stage: approval.stage,
  ...(decision && { decision }),
  approvers: approval.votes.filter(counts).map(({ by, self, on_behalf_of }) => ({
    id: by.id,
    ...(on_behalf_of !== undefined && { on_behalf_of }),
    ...(self && { self }),
  })),
  ...(approval.method && { method: approval.method }),
  ...(approval.superseded_by && { superseded_by: approval.superseded_by }),
  // The artifact of the request needs no state and must stay small.
  ...((approval.status !== 'pending' || approval.votes.length > 0 || approval.extensions !== undefined) && {
    state: stateOf(approval),
  }),
})

/** What an approval binds. Exactly this object is under the digest. */
export const BoundAction = z.object({
  /** 2 where the action has a target, which is bound then. */
  v: z.literal([1, 2]).describe('The version of this form: 2 with `target`, 1 without.'),
  tenant_id: z.string().describe('Id of the tenant.'),
  mode: z.string().describe('Whether it belongs to live or test data.'),
  request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
  node_id: z.string().describe('Id of the node.'),
  version: z.string().describe('Version of the manifest.'),
  manifest_sha256: z.string().describe('SHA-256 of the canonical manifest, hex.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  requested_by: z
    .object({ type: z.string().describe('What kind of caller it is.'), id: z.string().describe('Id of the caller.') })
    .describe('The caller that requested it.'),
  /** Only where a person requested it through an OAuth client. */
  client_id: z.string().optional().describe('Id of the OAuth client.'),
  agent_id: z.string().nullable().describe('Id of the agent; null: none.'),
  payload_commitment: z.string().describe('Salted hash of the payload, hex, as in the header of the artifact.'),
  policy_set_version: z.string().describe('The version of the policy set and settings that decided.'),
  target: Called.optional().describe('Where the action is carried out; absent where the service calls nothing.'),
})
export type BoundAction = z.output<typeof BoundAction>

/** Binds an approval to requester, action, target, payload, manifest and policies. */
export const actionDigest = (action: BoundAction): string => `sha256:${sha256Hex(canonicalJson(action))}`

/** What an approval of a stored action binds. `target`: as the approval stores it. */
export const boundAction = (execution: Execution, { target }: Pick<Approval, 'target'>): BoundAction => ({
  v: target === undefined ? 1 : 2,
  tenant_id: execution.tenant_id,
  mode: execution.mode,
  request_id: execution.id,
  node_id: execution.node_id,
  version: execution.version,
  manifest_sha256: execution.manifest_sha256,
  action_id: execution.action_id,
  requested_by: execution.requested_by,
  client_id: execution.client_id,
  agent_id: execution.agent_id ?? null,
  payload_commitment: execution.payload_commitment,
  policy_set_version: execution.policy_set_version,
  ...(target !== undefined && { target: readTargetText(target) }),
})

/** The digest of a stored action. Callers that have the payload pass a commitment computed from it. */
export const digestOf = (
  execution: Execution,
  approval: Pick<Approval, 'target'>,
  payload_commitment = execution.payload_commitment,
): string => actionDigest({ ...boundAction(execution, approval), payload_commitment })

// The commitment to an approval that its artifacts state.

/**
 * Commitment to the whole approval (hex), votes, reasons and times included, for its artifacts. The salt keeps reasons, which
 * people write, from being guessed. Left out are `consumed_at` and breaches of the SLA, which other artifacts state, and the
 * task, which is only a reference.
 */
function stateOf(approval: Approval & { _v?: number }): string | undefined {
  const { salt, consumed_at, sla, task_id, _v, ...facts } = approval
  return salt === undefined ? undefined : hex(payloadCommitment(Buffer.from(salt, 'hex'), facts))
}
