// What a decided approval sets in motion. It serves once: `consumed_at` is written with the step that uses it.
import type { Context } from '../context.ts'
import { approvedEvent } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { readTold } from '../executions/open.ts'
import { ranEvents } from '../executions/outcome-events.ts'
import { leaseFrom, perform, readyTarget } from '../executions/run-target.ts'
import { transition } from '../executions/store.ts'
import { iso } from '../lib/clock.ts'
import type { Approval } from './approval.ts'
import { approvedBy, deciderOf } from './approved.ts'
import type { Binding } from './binding.ts'
import { approvalFacts } from './hold.ts'
import { replaceApproval } from './store-vote.ts'

/** An approved action that nobody has claimed for so long is claimed by the sweeper. */
const CLAIM_WITHIN_MS = 15_000

/** `approval` is what the deciding vote makes of `held`. */
type Decided = Binding & { approval: Approval }

export const carryOut = (ctx: Context, decided: Decided) =>
  decided.action?.target || decided.execution.sandbox ? approveThenCall(ctx, decided) : approveAndRun(ctx, decided)

const approvedStep = (approval: Approval) => ({
  facts: { type: 'approval.approved' as const, approval: approvalFacts(approval, 'approve') },
  events: (stored: Execution) => [approvedEvent(readTold(stored), deciderOf(approval), 'manual')],
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
      events: (stored) => ranEvents(readTold(stored), now - ctx.request.at),
    },
  ])
  await ctx.table.commit([...writes, replaceApproval(consumed, held)], approval.id)
  return { approval: consumed, execution, opened }
}

/** With a target: the decision stands first, so that a process that dies before the call loses nothing. */
async function approveThenCall(ctx: Context, { approval, ...binding }: Decided) {
  const { held, execution: was } = binding
  const claimBy = iso(ctx.now() + CLAIM_WITHIN_MS)
  const next: Execution = { ...was, status: 'approved', lease_until: claimBy }
  const { execution, writes } = transition(ctx, was, next, [approvedStep(approval)])
  await ctx.table.commit([...writes, replaceApproval(approval, held)], approval.id)
  return claim(ctx, { ...binding, held: { ...approval, _v: held._v + 1 }, execution })
}

/** Takes the one use of an approval without a breach, then calls the target. Whoever commits the claim makes the call. */
export async function claim(ctx: Context, { held, execution: was, opened, action }: Binding) {
  const { payload } = opened
  if (!action || !payload) throw new Error('nothing is left to call')
  const target = await readyTarget(ctx, action)
  const now = ctx.now()
  const approval: Approval = { ...held, consumed_at: iso(now) }
  const next: Execution = { ...was, status: 'executing', lease_until: leaseFrom(now), attempt: 1 }
  const { execution, writes } = transition(ctx, was, next, [
    { facts: { type: 'execution.started', approval: approvalFacts(approval) }, events: () => [] },
  ])
  await ctx.table.commit([...writes, replaceApproval(approval, held)])
  const done = await perform(ctx, execution, { action, target, payload, approval: approvedBy(approval) })
  return { approval, ...done }
}
