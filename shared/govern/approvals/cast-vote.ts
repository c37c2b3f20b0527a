// A vote on a held action. The deciding vote commits together with its effect. An action with a target commits the approval
// first and then the claim, which makes the call.
import type { Context } from '../../base/context.ts'
import type { Execution } from '../executions/execution.ts'
import { openSealed } from '../executions/open-execution.ts'
import { type Visible, visibleUnder } from '../executions/visible.ts'
import { iso } from '../../base/lib/clock.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { mustHaveSteppedUp } from '../../identity/access/recent-factor.ts'
import { retryWhenOvertaken } from '../../base/table/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import { users } from '../../identity/accounts/user.ts'
import { storedTextsUnder } from '../governance/pii/stored-text.ts'
import type { Approval, Vote } from './approval.ts'
import { type Binding, judgedAgain } from './binding.ts'
import { carryOut } from './carry-out.ts'
import { expireApproval } from './expire.ts'
import { isFrozen, voteWhileFrozen } from './frozen.ts'
import { mustAllowRepeats } from './give-grant.ts'
import { loadVoteInputs, type VoteInputs } from './inputs.ts'
import { rejectHeld } from './reject-held.ts'
import { afterVote, type Ballot, counts, eligibleGroups, mustBeOpen, recountVotes, voteOf } from './rules.ts'
import { storeVote } from './store-vote.ts'
import { refuseTo } from './refuse-to.ts'
import { voterOn } from './voter.ts'

export type VoteInput = {
  decision: Ballot['decision']
  reason?: string | undefined
  /** The digest of the action that the voter saw. */
  action_digest?: string | undefined
  /** For how long the voter allows the same action. */
  allow_for_s?: number | undefined
}

/** `repeated`: the voter had already given this vote, so nothing changed. `opened` is already redacted where the tenant asks for it. */
export type Voted = { approval: Approval; execution: Execution; opened: Visible; repeated: boolean }

export async function castVote(ctx: Context, inputs: VoteInputs, input: VoteInput): Promise<Voted> {
  let next: VoteInputs | undefined = inputs
  const voted = await retryWhenOvertaken(async () => {
    const now = next ?? (await loadVoteInputs(ctx.table, ctx.space, { params: { id: inputs.held.id } }))
    next = undefined
    return vote(ctx, now, input)
  })
  return { ...voted, opened: await visibleUnder(inputs.governance.settings, voted.opened) }
}

async function vote(ctx: Context, inputs: VoteInputs, input: VoteInput) {
  if (input.decision === 'approve') await mustHaveSteppedUp(ctx)
  const { held, execution, governance } = inputs
  const [{ opened, salt }, voter] = await Promise.all([openSealed(ctx, execution), voterOn(ctx, held)])
  const at = iso(ctx.now())
  if (voteOf(held, voter)?.decision === input.decision) return { approval: held, execution, opened, repeated: true }
  if (held.status === 'pending' && at >= held.expires_at) await expireApproval(ctx, held, execution)
  mustBeOpen(held, { ...input, at }, input.action_digest)
  const groups = eligibleGroups(held, voter, governance.settings, input.decision)
  if (input.allow_for_s !== undefined) mustAllowRepeats(inputs)
  const { reason } = await storedTextsUnder(governance.settings, { reason: input.reason })
  const ballot = { decision: input.decision, at, reason, allow_for_s: input.allow_for_s }
  const counted = ballot.decision === 'approve' ? await withCurrentVotes(ctx, inputs) : held
  const approval = afterVote(counted, voter, groups, ballot)
  const result = await settle(ctx, { ...inputs, approval, opened, salt })
  return { ...result, repeated: false }
}

/** The approval with only those earlier votes that have evidence and whose voters may still give them. */
async function withCurrentVotes(ctx: Context, inputs: VoteInputs): Promise<Approval> {
  if (inputs.held.votes.length === 0) return inputs.held
  const { provenVotes } = await import('./proven.ts')
  const proven = await provenVotes(ctx, inputs)
  const voterOf = (one: Vote) => (proven.has(one) ? inputs.standing.get(one.by.id)?.voter : undefined)
  return recountVotes(inputs.held, voterOf)
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
  const { breach, ...judged } = await judgedAgain(ctx, open)
  if (breach && isFrozen(breach)) throw voteWhileFrozen(breach)
  return breach ? refuseTo(ctx, open, breach) : carryOut(ctx, { ...open, ...judged, voters: voterChecks(ctx, open) })
}

/** Lets the commit fail when somebody whose vote counts has lost the right to give it. */
function voterChecks({ principal, space }: Context, { standing, approval }: Binding & { approval: Approval }): Write[] {
  const earlier = approval.votes.filter(counts).flatMap(({ by }) => standing.get(by.id)?.stays ?? [])
  if (principal.kind !== 'user') return earlier
  const active = { expression: '#status = :active', names: { '#status': 'status' }, values: { ':active': 'active' } }
  const self = { tenant_id: space.tenant_id, id: principal.id }
  return [
    ...earlier,
    users.check(self, active, forbidden('Your account is no longer active. Ask an administrator of your tenant.')),
  ]
}
