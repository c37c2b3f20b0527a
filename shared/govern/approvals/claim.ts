// Runs an action after the deciding vote. An approval is used once: `consumed_at` is written in the transaction that uses it.
//
// An action without a target is one transaction: vote, approval, effect and evidence. Either all of it has happened or nothing.
//
// An action with a target needs three commits, because a call cannot be part of a transaction:
//   1. The approval. If the process dies here, the action is approved and its lease runs out after 15 seconds; the sweeper then claims
//      it (resume.ts). Calling first would be wrong: a process that dies after the call would leave an action that ran unapproved.
//   2. The claim. It uses up the approval and takes the lease on the call. Of two processes that claim, one commits; the other gets a
//      conflict and finds the approval used. If the process dies here, the target may or may not have been called: the sweeper repeats
//      the call only where the target is idempotent, and otherwise stores that the outcome is unknown (protocol/resume.ts).
//   3. The outcome of the call (executions/target/run.ts).
//
// Between the decision and each commit others may change things. Hence the action was decided on again just before, and the commit
// carries checks on what that decision was based on: policies, freezes, the node's version, the approval's artifact, the voters. If
// one fails, everything is read and decided anew. A freeze set meanwhile leaves the action approved: it is neither decided nor lost,
// and goes on when the freeze is lifted or ends when its time is over.
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { effectOf } from '../executions/built-in-effects.ts'
import { conducted, ran, triedRun } from '../executions/measures.ts'
import { approvedEvent, ranEvents } from '../executions/events.ts'
import { type Execution, executions } from '../executions/execution.ts'
import { recentActionsOf } from '../executions/recent-actions.ts'
import { openSealed, readEventFacts } from '../executions/sealed/open-execution.ts'
import { callTurns, perform, type Performance, readyTarget } from '../executions/target/run.ts'
import { settleUndoOf } from '../executions/target/settle-undo-of.ts'
import { transition } from '../executions/store.ts'
import type { Kind } from '../../base/catalog/kinds.ts'
import type { LimitCheck } from '../limits/counting.ts'
import { iso } from '../../base/lib/clock.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { type Approval, ended, judged } from './approval.ts'
import { approvalForTarget, deciderOf, endHeld, replaceApproval, votesData } from './end.ts'
import { basisChecks, type ApprovedAction, type ClaimRefusal, reevaluate, refuseTo } from './binding.ts'
import { limitUseOf } from './limit-use.ts'
import { grantWrites, newGrant } from './grants/give.ts'
import { type NewGrant, proofOf } from './grants/grant.ts'
import { approvalFacts } from './hold.ts'
import { loadVoteInputs } from './inputs.ts'
import { conflict, type Failure } from '../../base/lib/failure.ts'
import { isFreeze } from '../governance/freeze.ts'

/** After this time the sweeper claims an approved action. */
const CLAIM_WITHIN_MS = 15_000

/** `approval` is `held` after the deciding vote; `voters` lets its commit fail when a voter has lost the right to vote. */
type Decided = Counted & { approval: Approval; voters: Write[] }
type Granted = Decided & { grant: NewGrant | undefined }

/** `counting`: the limits that the action counts against when it runs. */
type Counted = ApprovedAction & { counting?: LimitCheck | undefined }

/**
 * After the deciding vote: afterwards the action has run, or is approved and its target is called once the claim commits. It takes the
 * decision as made just before by `reevaluate`, and refuses nothing itself; each commit fails if the basis of that decision has changed.
 */
export async function carryOut(ctx: Context, { approval, ...rest }: Decided) {
  const grant = await newGrant(ctx, { ...rest, approval })
  const decided = { ...rest, grant, approval: grant ? { ...approval, grant_id: grant.id } : approval }
  return decided.action?.target || decided.execution.sandbox
    ? approveThenCall(ctx, decided)
    : approveAndRun(ctx, decided)
}

const approvedStep = (was: Execution, approval: Approval, now: number, grant: NewGrant | undefined) => ({
  facts: {
    type: 'approval.approved' as const,
    approval: approvalFacts(approval, 'approve'),
    ...(grant ? { data: { ...votesData(approval).data, ...proofOf(grant) } } : votesData(approval)),
  },
  events: (stored: Execution) => [approvedEvent(readEventFacts(stored), deciderOf(approval), 'manual')],
  measures: [ended(approval, 'approved', now), ...judged(was, true), ...conducted(was, 'approved')],
})

/** Without a target: decision and effect are one transaction. */
async function approveAndRun(ctx: Context, { approval, voters, grant, ...binding }: Granted) {
  const { held, execution: was, opened } = binding
  const effect = await effectOf(ctx, was, opened.payload ?? {})
  const now = ctx.now()
  const consumed: Approval = { ...approval, consumed_at: iso(now) }
  const tally = await limitUseOf(ctx, binding)
  const next: Execution = { ...was, status: 'executed', executed_at: iso(now), counted: tally.counted }
  const { execution, writes } = transition(ctx, was, next, [
    approvedStep(was, consumed, now, grant),
    {
      facts: {
        type: 'protocol.executed',
        outcome: 'succeeded',
        approval: approvalFacts(consumed),
        payload_commitment: was.payload_commitment,
      },
      events: (stored) => ranEvents(readEventFacts(stored), now - ctx.request.at),
      measures: [
        ...ran('ok', { tier: 'HARD', ms: null, payload: opened.payload }),
        ...conducted(was, 'ok'),
        ...triedRun(was, true, false),
        ...effect.measures,
      ],
    },
  ])
  const moved = [...writes, ...replaceApproval(ctx, consumed, held), ...effect.writes, ...marksWhenRun(ctx, binding)]
  const checks = [...voters, ...basisChecks(ctx, binding, effect.replaces), ...grantWrites(ctx, grant, execution)]
  await tally.commit([...moved, ...checks, ...tally.writes], approval.id)
  await settleUndoOf(ctx, execution)
  return { approval: consumed, execution, opened }
}

/** A held action leaves its marks when it runs. */
const marksWhenRun = (ctx: Context, { governance, action, execution, held }: ApprovedAction): Write[] =>
  action ? recentActionsOf(ctx, governance.set, execution, { action, kind: held.kind as Kind }) : []

/** With a target: the decision is committed first, so that nothing is lost when the process dies before the call. */
async function approveThenCall(ctx: Context, { approval, voters, grant, ...binding }: Granted) {
  const { held, execution: was } = binding
  const now = ctx.now()
  const claimBy = iso(now + CLAIM_WITHIN_MS)
  const next: Execution = { ...was, status: 'approved', lease_until: claimBy }
  const { execution, writes } = transition(ctx, was, next, [approvedStep(was, approval, now, grant)])
  const given = grantWrites(ctx, grant, execution)
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...voters, ...given], approval.id)
  const claimed = await claimFresh(ctx, { ...binding, held: { ...approval, _v: held._v + 1 }, execution })
  return claimed ? callFor(ctx, claimed) : { approval, execution, opened: binding.opened }
}

export type Claimed = { approval: Approval; execution: Stored<Execution>; performance: Performance }

/**
 * `known` was decided on in this request. If another change comes first, everything is read and decided again. Undefined if a freeze was
 * set meanwhile: the action stays approved, and the sweeper tries again.
 */
function claimFresh(ctx: Context, known: Counted): Promise<Claimed | undefined> {
  let next: Counted | undefined = known
  return retryWhenChanged(async () => {
    const binding = next ?? (await readApprovedAction(ctx, known.held.id))
    const { refusal, ...again } = next
      ? { counting: next.counting, refusal: undefined }
      : await reevaluate(ctx, binding)
    next = undefined
    if (refusal && isFrozen(refusal)) return undefined
    return refusal ? refuseTo(ctx, binding, refusal) : claim(ctx, { ...binding, ...again })
  })
}

/** Reads an approved action again, with the present policies, as a vote would. */
export async function readApprovedAction(ctx: Context, id: string): Promise<ApprovedAction> {
  const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id } })
  return { ...inputs, ...(await openSealed(ctx, inputs.execution)) }
}

/**
 * Uses up an approval and takes the lease on its call, in one transaction. The process that commits it makes the call. Fails with
 * `ChangedMeanwhile` if a policy, the node, the evidence or a limit has changed since the decision, so the caller decides again. If the
 * process dies afterwards, the lease runs out and the sweeper calls the target again only where it is idempotent.
 */
export async function claim(ctx: Context, binding: Counted): Promise<Claimed> {
  const { held, execution: was, opened, action } = binding
  const { payload } = opened
  if (!action || !payload) throw new Error('the action or its payload no longer exists')
  const target = await readyTarget(ctx, action)
  const now = ctx.now()
  const approval: Approval = { ...held, consumed_at: iso(now) }
  const tally = await limitUseOf(ctx, binding)
  const next: Execution = {
    ...was,
    status: 'executing',
    ...callTurns.until(now),
    attempt: 1,
    counted: tally.counted,
  }
  const { execution, writes } = transition(ctx, was, next, [
    { facts: { type: 'execution.started', approval: approvalFacts(approval) }, events: () => [] },
  ])
  const moved = [...writes, ...replaceApproval(ctx, approval, held), ...marksWhenRun(ctx, binding)]
  await tally.commit([...moved, ...basisChecks(ctx, binding), evidenceCheck(ctx, was), ...tally.writes])
  return { approval, execution, performance: { action, target, payload, approval: approvalForTarget(approval) } }
}

/** Calls the target of a claimed action and commits the outcome. Only the process that committed the claim does this. */
export async function callFor(ctx: Context, { approval, execution, performance }: Claimed) {
  const done = await perform(ctx, execution, performance)
  return { approval, ...done }
}

/** Lets the commit fail unless the artifact of the approval is the one that the execution names. */
function evidenceCheck({ space }: Context, { artifacts: references }: Execution): Write {
  const reference = references.findLast(({ type }) => type === 'approval.approved')
  if (!reference) throw new Error('the approved execution names no artifact of the approval')
  const hash = Buffer.from(reference.hash.replace('sha256:', ''), 'hex')
  const condition = { expression: '#ah = :ah', names: { '#ah': 'ah' }, values: { ':ah': hash } }
  return artifacts.check(artifactKey(space, reference.artifact_id), condition, new ChangedMeanwhile())
}

const AGAIN_MS = 300_000

export const isFrozen = (refusal: ClaimRefusal): boolean => 'refusal' in refusal && isFreeze(refusal.refusal)

/** The answer to a vote that would let the action run during a freeze. Nothing of the vote is stored. */
export const voteWhileFrozen = ({ reason }: ClaimRefusal): Failure =>
  conflict(
    `Your vote was not taken: ${reason}. Vote again when an administrator has lifted the freeze, or reject the action.`,
    { code: 'frozen' },
  )

/** An approved action is tried again every five minutes until its approval expires, and then cancelled. */
export async function waitWhileFrozen(ctx: Context, { held, execution }: ApprovedAction): Promise<void> {
  const now = ctx.now()
  if (iso(now) < held.expires_at) {
    const again = iso(now + AGAIN_MS)
    const lease_until = again < held.expires_at ? again : held.expires_at
    return ctx.table.commit([executions.replace({ ...execution, lease_until }, execution)])
  }
  const cancelled: Approval = { ...held, status: 'cancelled', method: 'expired', decided_at: iso(now) }
  await endHeld(ctx, held, cancelled, execution, {
    status: 'cancelled',
    artifact: 'approval.cancelled',
    by: 'system',
    method: 'expired',
    reason: 'the action was frozen until its approval expired',
  })
}
