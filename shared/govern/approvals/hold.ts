// Holds a HARD action: writes execution and approval in one transaction; the digest binds them to each other.
import type { Context } from '../../base/context.ts'
import { hex } from '../../ledger/evidence/artifact/hashes.ts'
import { heldEvent } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { decided } from '../executions/measures.ts'
import { decisionFacts, firstEvents, eventFacts } from '../executions/first-transaction.ts'
import { sealOrigin } from '../executions/origin.ts'
import { transition } from '../executions/store.ts'
import type { Past, Submission } from '../executions/submission.ts'
import { reachedBy } from '../limits/reached.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { slaPolicyFor } from '../../base/sla/policies.ts'
import { startSla } from '../../base/sla/sla.ts'
import type { Following, Write } from '../../base/table/entity.ts'
import { calledBy, targetText } from '../governance/decide/policy-facts.ts'
import { type Approval, approvals } from './approval.ts'
import { digestOf } from './digest.ts'
import { noteHeld } from './flood.ts'
import { ASKED } from './measures.ts'
import { counts } from './rules.ts'
import { stateOf } from './state-of.ts'

const SALT_BYTES = 16

/** Thrown where an equal request of the same moment holds the id of the approval already. */
export class HeldAlready extends Failure {
  readonly approval_id: string

  constructor(approval_id: string) {
    super('conflict', 'An equal request waits already. Repeat yours.')
    this.approval_id = approval_id
  }
}

/**
 * Afterwards execution and approval wait in the table, with their evidence. Throws `HeldAlready`, and stores nothing, where the approval
 * of an equal request has taken the id of this one.
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
