// Gives the approvers of a held action more time. It moves the expiry and nothing else: the SLA still says when an answer was due.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden, notFound } from '../../base/lib/failure.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { httpResponse, type HttpResponse, unchanged } from '../../base/wire/call.ts'
import type { Execution } from '../executions/execution.ts'
import { findExecution } from '../executions/sealed/open-execution.ts'
import { transition } from '../executions/store.ts'
import { findPointer, readSettings } from '../governance/settings.ts'
import { type Approval, approvals, approvalSlaView } from './approval.ts'
import { voterOn, weighed } from './votes/voters.ts'
import { expireApproval, replaceApproval } from './end.ts'
import { approvalFacts } from './hold.ts'
import { mustBePerson } from './votes/count.ts'
import { ineligibility, isSelf, mustBeOpen } from './votes/rules.ts'
import { firstOf } from './supersede.ts'
import { approvalWithEvidence } from './evidence.ts'

const TIMES_MAX = 3
/** After the request. */
const LATEST_MS = 7 * 86_400_000

/**
 * Afterwards the approval expires later, at most seven days after the request. Throws 403 for a caller who may not approve it or who
 * requested it, 409 if it is decided, has expired, was extended three times or would not expire later.
 */
export async function extendApproval(ctx: Context, id: string, seconds: number): Promise<HttpResponse> {
  const approval = await retryWhenChanged(() => extend(ctx, id, seconds))
  return httpResponse(200, { ...approval, sla: approvalSlaView(approval, ctx.now()) })
}

/** The present state, for a repeat with the same Idempotency-Key. */
export async function replayExtension(ctx: Context, id: string): Promise<HttpResponse> {
  const approval = await findApproval(ctx, id)
  return unchanged(await approvalWithEvidence(ctx, approval, await findExecution(ctx, approval.request_id)))
}

async function findApproval(ctx: Context, id: string) {
  const approval = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!approval) throw notFound('approval')
  return approval
}

async function extend(ctx: Context, id: string, seconds: number): Promise<Approval> {
  const held = await findApproval(ctx, id)
  const [was, pointer, voter] = await Promise.all([
    findExecution(ctx, held.request_id),
    findPointer(ctx.table, ctx.space),
    voterOn(ctx, held),
  ])
  const at = iso(ctx.now())
  if (held.status === 'pending' && at >= held.expires_at) await expireApproval(ctx, held, was)
  mustBeOpen(held, { decision: 'approve', at })
  const settings = readSettings(pointer)
  // Nobody extends their own request, not even if they could approve it. A person who has voted may wait for the others.
  if (isSelf(held, voter)) throw forbidden('You cannot extend the approval of an action that you requested.')
  await mustBePerson(ctx, voter, { held, execution: was, settings, decision: 'approve' })
  const refusal = ineligibility(held, await weighed(ctx, held, voter), settings, 'approve')
  if (refusal) throw forbidden(refusal)
  const approval = extended(held, seconds)
  const { writes } = transition(ctx, was, withExpiry(was, approval), [
    {
      facts: {
        type: 'approval.extended',
        approval: approvalFacts(approval),
        data: { from: held.expires_at, expires_at: approval.expires_at },
      },
      events: () => [],
    },
  ])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held)], id)
  return approval
}

function extended(held: Approval, seconds: number): Approval {
  const { extensions = 0, requested_at } = held
  if (extensions >= TIMES_MAX) throw conflict(`This approval was already extended ${TIMES_MAX} times.`)
  const latest = Date.parse(requested_at) + LATEST_MS
  const expires_at = iso(Math.min(Date.parse(held.expires_at) + seconds * 1_000, latest))
  if (expires_at <= held.expires_at) throw conflict('An approval waits no longer than seven days after its request.')
  return { ...held, expires_at, extensions: extensions + 1 }
}

/** The receipt of the first answer keeps the time that it stated. */
const withExpiry = (was: Execution, { expires_at }: Approval): Execution => ({
  ...was,
  first: was.first ?? firstOf(was),
  ...(was.held && { held: { ...was.held, expires_at } }),
})
