// What a decided approval sets in motion. It serves once: `consumed_at` is written with the step that uses it.
import type { Context } from '../context.ts'
import type { Opened } from '../executions/answer.ts'
import { approvedEvent, ranEvents } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { readTold } from '../executions/open.ts'
import { leaseFrom, perform } from '../executions/run-target.ts'
import { transition } from '../executions/store.ts'
import { iso } from '../lib/clock.ts'
import type { LoadedAction } from '../manifests/load.ts'
import type { Stored } from '../table/entity.ts'
import type { Approval } from './approval.ts'
import { approvalFacts } from './hold.ts'
import { replaceApproval } from './store-vote.ts'

/** An approved action that nobody has claimed for so long is claimed by the sweeper. */
const CLAIM_WITHIN_MS = 15_000

type Decided = {
  held: Stored<Approval>
  approval: Approval
  execution: Stored<Execution>
  action: LoadedAction | undefined
  opened: Opened
}

export const carryOut = (ctx: Context, decided: Decided) =>
  decided.action?.target ? approveThenCall(ctx, decided, decided.action) : approveAndRun(ctx, decided)

const decider = ({ decided_by }: Approval) =>
  decided_by?.type === 'user' ? decided_by.id : `key:${decided_by?.id ?? ''}`

const approvedStep = (approval: Approval) => ({
  facts: { type: 'approval.approved' as const, approval: approvalFacts(approval, 'approve') },
  events: (stored: Execution) => [approvedEvent(readTold(stored), decider(approval), 'manual')],
})

/** Brokered: decision and effect are one transaction. */
async function approveAndRun(ctx: Context, { held, approval, execution: was, opened }: Decided) {
  const now = ctx.now()
  const consumed: Approval = { ...approval, consumed_at: iso(now) }
  const next: Execution = { ...was, status: 'executed', executed_at: iso(now) }
  const { execution, writes } = transition(ctx, was, next, [
    approvedStep(consumed),
    {
      facts: {
        type: 'protocol.executed',
        outcome: 'succeeded',
        approval: approvalFacts(consumed),
        payload_commitment: was.payload_commitment,
      },
      events: (stored) => ranEvents(readTold(stored), ctx.request.at, now),
    },
  ])
  await ctx.table.commit([...writes, replaceApproval(consumed, held)], approval.id)
  return { approval: consumed, execution, opened }
}

/** With a target: the decision stands first, so that a process that dies before the call loses nothing. */
async function approveThenCall(ctx: Context, decided: Decided, action: LoadedAction) {
  const { held, approval, execution: was, opened } = decided
  const claimBy = iso(ctx.now() + CLAIM_WITHIN_MS)
  const next: Execution = { ...was, status: 'approved', lease_until: claimBy }
  const { execution, writes } = transition(ctx, was, next, [approvedStep(approval)])
  await ctx.table.commit([...writes, replaceApproval(approval, held)], approval.id)
  return claim(ctx, { held: { ...approval, _v: held._v + 1 }, execution, opened, action })
}

export type Claim = { held: Stored<Approval>; execution: Stored<Execution>; opened: Opened; action: LoadedAction }

/** Takes the one use of an approval, then calls the target. Whoever commits the claim makes the call. */
export async function claim(ctx: Context, { held, execution: was, opened, action }: Claim) {
  const now = ctx.now()
  const approval: Approval = { ...held, consumed_at: iso(now) }
  const next: Execution = { ...was, status: 'executing', lease_until: leaseFrom(now), attempt: 1 }
  const { execution, writes } = transition(ctx, was, next, [
    { facts: { type: 'execution.started', approval: approvalFacts(approval) }, events: () => [] },
  ])
  await ctx.table.commit([...writes, replaceApproval(approval, held)])
  const done = await perform(ctx, execution, {
    action,
    payload: opened.payload ?? {},
    approval: {
      id: approval.id,
      approved_by: decider(approval),
      approved_at: approval.decided_at ?? '',
      action_digest: approval.action_digest,
    },
  })
  return { approval, ...done }
}
