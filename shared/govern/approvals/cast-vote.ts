// A vote on a held action. The deciding vote commits together with its effect. An action with a target commits the approval
// first and then the claim, which makes the call.
import type { Context } from '../../base/context.ts'
import type { Execution } from '../executions/execution.ts'
import { openSealed } from '../executions/open-execution.ts'
import { type Visible, visibleUnder } from '../executions/visible.ts'
import { iso } from '../../base/lib/clock.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { mustHaveSteppedUp } from '../../identity/access/recent-factor.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import { users } from '../../identity/accounts/user.ts'
import { changesGovernance } from '../manifests/platform-nodes.ts'
import { storedTextsUnder } from '../governance/pii/stored-text.ts'
import type { Waiting } from './also-waiting.ts'
import { afterVote, recountVotes } from './after-vote.ts'
import type { Approval, Vote } from './approval.ts'
import { type Binding, judgedAgain } from './binding.ts'
import { carryOut } from './carry-out.ts'
import { weighed } from './dependence.ts'
import { expireApproval } from './expire.ts'
import { isFrozen, voteWhileFrozen } from './frozen.ts'
import { mustAllowRepeats } from './give-grant.ts'
import { countsByVoter, isInPerson, mustBePerson } from './in-person.ts'
import { loadVoteInputs, type VoteInputs } from './inputs.ts'
import { rejectHeld } from './reject-held.ts'
import { type Ballot, counts, mustBeOpen, personDecides, voteOf, type Voter } from './rules.ts'
import { storeVote } from './store-vote.ts'
import { refuseTo } from './refuse-to.ts'
import { votingAs } from './vote-as.ts'
import { voterOn } from './voter.ts'

export type VoteInput = {
  decision: Ballot['decision']
  reason?: string | undefined
  /** The digest of the action that the voter saw. */
  action_digest?: string | undefined
  /** The person who is away, in whose name the vote is given; one's own id for a vote in nobody else's. */
  on_behalf_of?: string | undefined
  /** For how long the voter allows the same action. */
  allow_for_s?: number | undefined
}

/** `repeated`: the voter had already given this vote, so nothing changed. `opened` is already redacted where the tenant asks for it. */
export type Voted = {
  approval: Approval
  execution: Execution
  opened: Visible
  repeated: boolean
  /** Of a vote that gave a grant: what waits and would run under it. */
  also_waiting?: Waiting[]
}

export async function castVote(ctx: Context, inputs: VoteInputs, input: VoteInput): Promise<Voted> {
  let next: VoteInputs | undefined = inputs
  const voted = await retryWhenOvertaken(async () => {
    const now = next ?? (await loadVoteInputs(ctx.table, ctx.space, { params: { id: inputs.held.id } }))
    next = undefined
    return vote(ctx, now, input)
  })
  const given = !voted.repeated && voted.approval.grant_id !== undefined && (await import('./also-waiting.ts'))
  return {
    ...voted,
    opened: await visibleUnder(inputs.governance.settings, voted.opened),
    ...(given && { also_waiting: await given.alsoWaiting(ctx, inputs, voted.opened.payload) }),
  }
}

async function vote(ctx: Context, inputs: VoteInputs, input: VoteInput) {
  const { held, execution, governance } = inputs
  if (input.decision === 'approve') await mustBePresent(ctx, held)
  const [{ opened, salt }, own] = await Promise.all([openSealed(ctx, execution), voterOn(ctx, held)])
  const at = iso(ctx.now())
  if (isRepeated(inputs, own, input)) return { approval: held, execution, opened, repeated: true }
  if (held.status === 'pending' && at >= held.expires_at) await expireApproval(ctx, held, execution)
  mustBeOpen(held, { ...input, at }, input.action_digest)
  await mustBePerson(ctx, own, { held, execution, settings: governance.settings, decision: input.decision })
  const counted = mustCountAgain(held, input) ? await withCurrentVotes(ctx, inputs) : held
  const { voter, stays } = await votingAs(ctx, counted, own, { ...governance, ...input })
  if (input.allow_for_s !== undefined) mustAllowRepeats(inputs, voter)
  const { reason } = await storedTextsUnder(governance.settings, { reason: input.reason })
  const ballot = { decision: input.decision, at, reason, allow_for_s: input.allow_for_s }
  const approval = afterVote(counted, voter, ballot)
  const result = await settle(ctx, { ...inputs, approval, opened, salt, stays })
  return { ...result, repeated: false }
}

const mustBePresent = async (ctx: Context, held: Approval): Promise<void> =>
  changesGovernance(held) ? (await import('./in-person.ts')).mustChangeInPerson(ctx) : mustHaveSteppedUp(ctx)

/** The same vote again, which still counts. The vote that another gave in somebody's name is not their own. */
function isRepeated(
  { held, standing, governance }: VoteInputs,
  own: Voter,
  { decision, on_behalf_of }: VoteInput,
): boolean {
  const given = voteOf(held, own)
  if (given?.decision !== decision || !standing.has(given.by.id)) return false
  if (!isInPerson(given) && personDecides(held, governance.settings)) return false
  if (on_behalf_of === own.id) return given.on_behalf_of === undefined
  if (on_behalf_of !== undefined) return given.by.id === own.id && given.on_behalf_of === on_behalf_of
  return given.by.id === own.id || given.on_behalf_of === undefined
}

/** Somebody who has ended a delegation is free to say no, too. */
const mustCountAgain = ({ votes }: Approval, { decision }: VoteInput): boolean =>
  decision === 'approve' || votes.some(({ on_behalf_of }) => on_behalf_of !== undefined)

/** The approval with only those earlier votes that have evidence, and whose voters may still give them. */
async function withCurrentVotes(ctx: Context, inputs: VoteInputs): Promise<Approval> {
  if (inputs.held.votes.length === 0) return inputs.held
  const [{ provenVotes }, { provenStandings }] = await Promise.all([
    import('./proven.ts'),
    import('./proven-standings.ts'),
  ])
  const proven = await provenVotes(ctx, inputs)
  const standing = await provenStandings(ctx, inputs.standing)
  const countsBy = await countsByVoter(ctx, { ...inputs, settings: inputs.governance.settings })
  const given = { ...inputs.held, votes: [...proven].filter(countsBy) }
  const voters = await Promise.all(
    given.votes.map(async (one) => {
      const voter = standing.get(one.by.id)?.voter
      return [one, voter && (await weighed(ctx, { ...given, stage: one.stage }, voter))] as const
    }),
  )
  const voterOf = new Map<Vote, Voter | undefined>(voters)
  return recountVotes(inputs.held, (one) => voterOf.get(one))
}

async function settle(ctx: Context, { stays, ...open }: Binding & { approval: Approval; stays: Write[] }) {
  const { held, approval, execution, opened } = open
  if (approval.status === 'rejected') {
    const rejected = await rejectHeld(ctx, held, approval, execution, stays)
    return { approval, execution: rejected, opened }
  }
  if (approval.status === 'pending') {
    await storeVote(ctx, held, approval, execution, stays)
    return { approval, execution, opened }
  }
  const { breach, ...judged } = await judgedAgain(ctx, open)
  if (breach && isFrozen(breach)) throw voteWhileFrozen(breach)
  return breach
    ? refuseTo(ctx, open, breach)
    : carryOut(ctx, { ...open, ...judged, voters: voterChecks(ctx, open, stays) })
}

/** Lets the commit fail when somebody whose vote counts has lost the right to give it. */
function voterChecks(
  { principal, space }: Context,
  { standing, approval }: Binding & { approval: Approval },
  stays: readonly Write[],
): Write[] {
  const earlier = approval.votes.filter(counts).flatMap(({ by }) => standing.get(by.id)?.stays ?? [])
  // Of a vote in the name of another, they hold the voter's account already, which a commit can check once only.
  if (principal.kind !== 'user' || stays.length > 0) return [...earlier, ...stays]
  const active = { expression: '#status = :active', names: { '#status': 'status' }, values: { ':active': 'active' } }
  const self = { tenant_id: space.tenant_id, id: principal.id }
  return [
    ...earlier,
    users.check(self, active, forbidden('Your account is no longer active. Ask an administrator of your tenant.')),
  ]
}
