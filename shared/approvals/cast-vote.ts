// A vote on a held action. The deciding one commits with everything that follows from it: for a brokered action the effect
// itself, for an action with a target the approval first, and then the claim that makes its call.
import type { Context } from '../context.ts'
import type { Execution } from '../executions/execution.ts'
import { openSealed } from '../executions/open.ts'
import { type Shown, shownUnder } from '../executions/shown.ts'
import { iso } from '../lib/clock.ts'
import { conflict } from '../lib/failure.ts'
import { requireStepUp } from '../mfa/fresh.ts'
import type { Approval } from './approval.ts'
import { type Binding, breachOf } from './binding.ts'
import { carryOut } from './carry-out.ts'
import { expireApproval } from './expire.ts'
import type { VoteInputs } from './inputs.ts'
import { rejectHeld } from './reject-held.ts'
import { afterVote, type Ballot, eligibleGroups, mustBeOpen, voteOf } from './rules.ts'
import { storeVote } from './store-vote.ts'
import { supersede } from './supersede.ts'
import { voterOn } from './voter.ts'

export type VoteInput = {
  decision: Ballot['decision']
  reason?: string | undefined
  /** The digest that the voter saw. */
  action_digest?: string | undefined
}

/** `repeated`: the same voter had already given the same vote, so nothing was changed. `opened` may be shown as it is. */
export type Voted = { approval: Approval; execution: Execution; opened: Shown; repeated: boolean }

export async function castVote(ctx: Context, inputs: VoteInputs, input: VoteInput): Promise<Voted> {
  const voted = await vote(ctx, inputs, input)
  return { ...voted, opened: await shownUnder(inputs.governance.settings, voted.opened) }
}

async function vote(ctx: Context, inputs: VoteInputs, input: VoteInput) {
  if (input.decision === 'approve') await requireStepUp(ctx)
  const { held, execution, governance } = inputs
  const [{ opened, salt }, voter] = await Promise.all([openSealed(ctx, execution), voterOn(ctx, held)])
  const at = iso(ctx.now())
  if (voteOf(held, voter)?.decision === input.decision) return { approval: held, execution, opened, repeated: true }
  if (held.status === 'pending' && at >= held.expires_at) await expireApproval(ctx, held, execution)
  mustBeOpen(held, { ...input, at }, input.action_digest)
  const groups = eligibleGroups(held, voter, governance.settings, input.decision)
  const approval = afterVote(held, voter, groups, { decision: input.decision, at, reason: input.reason })
  const result = await settle(ctx, { ...inputs, approval, opened, salt })
  return { ...result, repeated: false }
}

async function settle(ctx: Context, open: Binding & { approval: Approval }) {
  const { held, approval, execution, opened } = open
  if (approval.status === 'rejected') {
    const rejected = await rejectHeld(ctx, held, approval, execution)
    return { approval, execution: rejected, opened }
  }
  if (approval.status === 'pending') {
    await storeVote(ctx, held, approval, execution)
    return { approval, execution, opened }
  }
  const breach = breachOf(open)
  if (!breach) return carryOut(ctx, open)
  const successor = await supersede(ctx, open, breach)
  const consequence = successor ? `; decide approval ${successor} instead` : ' and the action is now refused'
  throw conflict(breach.reason + consequence)
}
