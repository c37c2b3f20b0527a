// Goes on with an approved action whose process died between the approval and the claim.
import type { Context } from '../../base/context.ts'
import type { Execution } from '../executions/execution.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals } from './approval.ts'
import { reevaluate } from './binding.ts'
import { callFor, claim, type Claimed, isFrozen, readApprovedAction, waitWhileFrozen } from './claim.ts'
import { isProven } from './proven.ts'
import { recountVotes } from './votes/count.ts'
import { rejectUnapproved } from './end.ts'
import { supersede } from './supersede.ts'

const REASON = 'there is no evidence that this was approved'
const UNPROVEN = { reason: REASON, refusal: { policy_id: 'evidence', message: REASON } }

/**
 * Claims an approved action that nobody has claimed, and calls its target. Nothing of the dead process is trusted: the chain must prove
 * the approval, and the action is decided on again as at the deciding vote. Without proof it is rejected; under other policies it is
 * held again or refused; while a freeze stops it, it waits. A second sweeper that comes late finds the approval used up.
 */
export async function resumeApproved(ctx: Context, execution: Stored<Execution>): Promise<void> {
  const id = execution.held?.id
  const exists = id !== undefined && (await ctx.table.get(approvals, { ...ctx.space, id }))
  if (!exists) return rejectUnapproved(ctx, execution, UNPROVEN.refusal)
  const claimed = await retryWhenChanged(() => claimOrEnd(ctx, id))
  if (claimed) await callFor(ctx, claimed)
}

async function claimOrEnd(ctx: Context, id: string): Promise<Claimed | void> {
  const binding = await readApprovedAction(ctx, id)
  const proven = await isProven(ctx, binding)
  const { refusal, ...judged } = proven ? await reevaluate(ctx, binding) : { refusal: UNPROVEN }
  if (!refusal) return claim(ctx, { ...binding, ...judged })
  if (isFrozen(refusal)) return waitWhileFrozen(ctx, binding)
  await supersede(ctx, proven ? binding : { ...binding, held: withoutVotes(binding.held) }, refusal)
}

/** Without votes and decider, so that the evidence of its end does not repeat unproven ones. */
const withoutVotes = <A extends Approval>(held: A) => ({
  ...held,
  ...recountVotes(held, () => undefined),
  decided_by: undefined,
})
