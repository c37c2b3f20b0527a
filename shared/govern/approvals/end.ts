// The writes of a vote that does not let the action run: it is stored, or the action ends as rejected, expired or cancelled. What other
// files state of a decision (its decider, the data of its votes) is here, too.
import type { Context } from '../../base/context.ts'
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'
import { withoutEffect } from '../executions/built-in-effects.ts'
import { conducted, isViolation } from '../executions/measures.ts'
import { heldEvent, type Refusal, rejectedEvent, type Rejection, rejectionOf } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { readEventFacts } from '../executions/sealed/open-execution.ts'
import { settleUndoOf } from '../executions/target/settle-undo-of.ts'
import { transition } from '../executions/store.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Following, Stored, Write } from '../../base/table/entity.ts'
import { type Approval, approvals, ended, judged } from './approval.ts'
import { approvalFacts } from './hold.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { APPROVAL_STATES } from './states.ts'
import { conflict } from '../../base/lib/failure.ts'
import { follow } from '../tasks/follow.ts'
import { FOLLOWS } from '../tasks/states.ts'
import { counts } from './votes/rules.ts'
import type { Performance } from '../executions/target/run.ts'

/** Ends the action after a rejecting vote. The commit fails if one of `stillEligible` no longer holds. */
export const rejectHeld = (
  ctx: Context,
  held: Stored<Approval>,
  approval: Approval,
  execution: Stored<Execution>,
  stillEligible: readonly Write[],
) =>
  endHeld(ctx, held, approval, execution, {
    status: 'rejected',
    artifact: 'approval.rejected',
    by: deciderOf(approval),
    method: 'manual',
    reason: approval.reason ?? 'rejected by a reviewer',
    ref: approval.id,
    stillEligible,
  })

export type End = {
  status: 'rejected' | 'expired' | 'cancelled'
  artifact: ArtifactType
  by: string
  method: Rejection['method']
  reason: string
  /** The policy or rule that refused it. */
  rejection?: Execution['rejection']
  /** Id of the approval, when the request asked for exactly this. */
  ref?: string
  /** Checks that let the commit fail, such as that the voter may still vote. */
  stillEligible?: readonly Write[]
}

/**
 * Commits approval and execution in their final states; the action can never run afterwards. It fails with a 409 if somebody has voted,
 * claimed or cancelled meanwhile, and then nothing has changed. If the process dies after the commit, the sweeper ends the undo that
 * the execution carries out.
 */
export async function endHeld(
  ctx: Context,
  held: Stored<Approval>,
  approval: Approval,
  was: Stored<Execution>,
  { status, artifact, by, method, reason, rejection, ref, stillEligible = [] }: End,
): Promise<Stored<Execution>> {
  const next: Execution = { ...was, status, rejection, lease_until: undefined }
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: { type: artifact, approval: approvalFacts(approval, method === 'manual' ? 'reject' : undefined) },
      events: (stored) => [rejectedEvent(readEventFacts(stored), { approval_id: approval.id, by, method, reason })],
      measures: [
        ...(held.status === 'pending' ? [ended(approval, status, ctx.now())] : []), // once only
        ...(held.status === 'pending' && method === 'manual' ? judged(was, false) : []),
        ...conductOf(was, approval, { method, rejection }),
      ],
    },
  ])
  const effects = withoutEffect(ctx, execution)
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...effects, ...stillEligible], ref)
  await settleUndoOf(ctx, execution)
  return execution
}

/** Somebody else's rejection counts against the requester, and so does breaking a rule; time that ran out does not. */
function conductOf(was: Execution, { votes }: Approval, { method, rejection }: Pick<End, 'method' | 'rejection'>) {
  if (rejection && isViolation(rejection)) return conducted(was, 'violations')
  return method === 'manual' && !votes.at(-1)?.self ? conducted(was, 'rejected') : []
}

/** Rejects an execution that is stored as approved but has no approval. */
export async function rejectUnapproved(ctx: Context, was: Stored<Execution>, refusal: Refusal): Promise<void> {
  alarm('approval_without_evidence', refusal.message, { execution: was.id })
  const next: Execution = { ...was, status: 'rejected', rejection: rejectionOf(refusal), lease_until: undefined }
  const rejection = {
    approval_id: null,
    by: `policy:${refusal.policy_id}`,
    method: 'policy',
    reason: refusal.message,
  } as const
  const { execution, writes } = transition(ctx, was, next, [
    { facts: { type: 'action.rejected' }, events: (stored) => [rejectedEvent(readEventFacts(stored), rejection)] },
  ])
  await ctx.table.commit([...writes, ...withoutEffect(ctx, execution)])
}

/** Ends an approval after its time, so that nothing is approved by silence. */
export async function expireApproval(ctx: Context, held: Stored<Approval>, execution: Stored<Execution>) {
  mustAllowMove(APPROVAL_STATES, held.status, 'expired')
  const expired: Approval = { ...held, status: 'expired', method: 'expired', decided_at: iso(ctx.now()) }
  return endHeld(ctx, held, expired, execution, {
    status: 'expired',
    artifact: 'approval.expired',
    by: 'system',
    method: 'expired',
    reason: 'nobody decided in time',
  })
}

/** The writes of an approval after a vote, and of its task. Throws 409 when somebody else has voted in the meantime. */
export const replaceApproval = (ctx: Context, next: Approval, was: Stored<Approval>): (Write | Following)[] => [
  approvals.replace(next, was, conflict('Somebody else has voted in the meantime. Read the approval again.')),
  ...(next.task_id === undefined || next.status === was.status
    ? []
    : [follow(ctx, next.task_id, FOLLOWS.approval[next.status])]),
]

type VotesData = { lapsed_votes?: string[]; raised_votes?: { id: string; raised_by: string[] }[] }

/** For the artifact of a step: the voters whose vote no longer counts, and those whose vote counts although they depend on a requester. */
export function votesData({ votes }: Approval): { data?: VotesData } {
  const lapsed_votes = votes.filter(({ lapsed }) => lapsed).map(({ by }) => by.id)
  const raised_votes = votes
    .filter(counts)
    .flatMap(({ by, raised_by }) => (raised_by ? [{ id: by.id, raised_by }] : []))
  const data = { ...(lapsed_votes.length > 0 && { lapsed_votes }), ...(raised_votes.length > 0 && { raised_votes }) }
  return Object.keys(data).length > 0 ? { data } : {}
}

/**
 * Stores a vote that does not decide. The commit fails if a voter may no longer vote, or if somebody else has voted meanwhile. If another
 * stage opens, its approvers are notified.
 */
export async function storeVote(
  ctx: Context,
  held: Stored<Approval>,
  approval: Approval,
  execution: Stored<Execution>,
  stillEligible: readonly Write[],
): Promise<void> {
  const nextStage = approval.stage !== held.stage
  const { writes } = transition(ctx, execution, execution, [
    {
      facts: { type: 'approval.voted', approval: approvalFacts(approval, 'approve'), ...votesData(approval) },
      events: (stored) => (nextStage ? [heldEvent(readEventFacts(stored), approval)] : []),
    },
  ])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...stillEligible], approval.id)
}

/** Who decided, as events name them: a user id or `key:<id>`. */
export const deciderOf = ({ decided_by }: Approval): string =>
  decided_by?.type === 'user' ? decided_by.id : `key:${decided_by?.id ?? ''}`

/** The approval in the body of the call of a target. */
export const approvalForTarget = (approval: Approval): NonNullable<Performance['approval']> => ({
  id: approval.id,
  approved_by: deciderOf(approval),
  approved_at: approval.decided_at ?? '',
  action_digest: approval.action_digest,
})

/** The same for an execution that was claimed earlier; undefined when it needed no approval. */
export async function approvalOf({ table, space }: Context, { held }: Execution): Promise<Performance['approval']> {
  const approval = held && (await table.get(approvals, { ...space, id: held.id }))
  return approval && approvalForTarget(approval)
}
