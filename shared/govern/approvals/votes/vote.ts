// A vote on a held action: the body of the request, the vote itself and its answer.
//
// The order of the deciding vote, and why:
//   1. Everything that decides is read in two round trips: approval, execution, policies, action, earlier voters.
//   2. The vote is checked: the approval is open, it is the action that the voter saw, a person decides where one must, the voter may
//      vote. An approval that has expired is ended first, so that a late vote never counts.
//   3. Earlier votes are counted again: a voter who left, or a vote without evidence, no longer counts. Only then is it known whether
//      this vote decides.
//   4. If it decides, the action is decided on again under the present policies, and its approval, effect and evidence commit together
//      (claim.ts). The vote comes with the decision, not before it: a vote that was stored first could let the action run later, under
//      policies that nobody had compared it with.
// Each commit needs the revisions that were read, and checks that every counted voter may still vote. Of two votes at the same moment one
// commits, and the other is answered with a 409; after any other change the request starts again at 1. A process that dies before the
// commit leaves nothing; claim.ts says what it leaves after it.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import type { Execution } from '../../executions/execution.ts'
import { openExecution, openSealed } from '../../executions/sealed/open-execution.ts'
import { type Visible, visibleNow, visibleUnder } from '../../executions/sealed/visible.ts'
import { iso } from '../../../base/lib/clock.ts'
import { forbidden, notFound } from '../../../base/lib/failure.ts'
import { mustHaveSteppedUp } from '../../../identity/access/assurance.ts'
import { retryWhenChanged } from '../../../base/kernel/retry.ts'
import type { Write } from '../../../base/table/entity.ts'
import { users } from '../../../identity/accounts/user.ts'
import { changesGovernance } from '../../manifests/platform-nodes.ts'
import { storedTextsUnder } from '../../governance/pii/stored-text.ts'
import type { Waiting } from '../grants/also-waiting.ts'
import { afterVote, countsByVoter, isInPerson, mustBePerson, mustChangeInPerson, recountVotes } from './count.ts'
import { type Approval, approvals, approvalSlaView, type Vote } from '../approval.ts'
import { type ApprovedAction, reevaluate, refuseTo } from '../binding.ts'
import { carryOut, isFrozen, voteWhileFrozen } from '../claim.ts'
import { voterOn, weighed } from './voters.ts'
import { expireApproval, rejectHeld, storeVote } from '../end.ts'
import { mustAllowRepeats } from '../grants/give.ts'
import { loadVoteInputs, type VoteInputs } from '../inputs.ts'
import { type VoteDraft, counts, mustBeOpen, personDecides, voteOf, type Voter } from './rules.ts'
import { votingAs } from './vote-as.ts'
import { id as idField, optional } from '../../../base/wire/fields.ts'
import { ALLOW_MAX_S, ALLOW_MIN_S } from '../../governance/rule-terms.ts'
import { HttpResponse, httpResponse, unchanged } from '../../../base/wire/call.ts'
import { executionView } from '../../executions/execution-view.ts'
import { approvalWithEvidence } from '../evidence.ts'

/**
 * `action_digest` is the digest that the voter saw. A vote on another action is refused. `on_behalf_of`: the person who is away and
 * has delegated to the voter, or the voter's own id, so that they vote in nobody else's name.
 */
export const DecisionBody = z.strictObject({
  reason: optional(z.string().max(2_000)).describe('The reason, for people.'),
  action_digest: optional(z.string().regex(/^sha256:[\da-f]{64}$/, 'must be sha256:<hex>')).describe(
    'SHA-256, hex, of the exact bytes of the action. An approval holds only for these bytes.',
  ),
  on_behalf_of: optional(idField).describe(
    'The person who is away, in whose name the vote is given. Your own id: in nobody else’s name, even if you could. Without it: your own vote where you may give one, else that for the one person who has delegated to you.',
  ),
})

/** `allow_for_s`: for how long the same action may run again without being asked about. */
export const ApproveBody = DecisionBody.extend({
  allow_for_s: optional(z.int().min(ALLOW_MIN_S).max(ALLOW_MAX_S)).describe(
    'For how long the same action may run again without being asked about, in seconds.',
  ),
})

export type VoteInput = {
  decision: VoteDraft['decision']
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
  /** After a vote that gave a grant: the requests that wait and would run under it. */
  also_waiting?: Waiting[]
}

/**
 * Afterwards the vote is stored; if it decides, the action has run or can never run. The voter is taken from the credential, never from
 * the input, and `on_behalf_of` needs a proven delegation. Throws 403 for a voter who may not vote, 409 for an approval that is decided,
 * has expired, is frozen or is for another action than the voter saw. The same vote again changes nothing.
 */
export async function castVote(ctx: Context, inputs: VoteInputs, input: VoteInput): Promise<Voted> {
  let next: VoteInputs | undefined = inputs
  const voted = await retryWhenChanged(async () => {
    const now = next ?? (await loadVoteInputs(ctx.table, ctx.space, { params: { id: inputs.held.id } }))
    next = undefined
    return vote(ctx, now, input)
  })
  const given = !voted.repeated && voted.approval.grant_id !== undefined && (await import('../grants/also-waiting.ts'))
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
  const { voter, stillEligible } = await votingAs(ctx, counted, own, { ...governance, ...input })
  if (input.allow_for_s !== undefined) mustAllowRepeats(inputs, voter)
  const { reason } = await storedTextsUnder(governance.settings, { reason: input.reason })
  const draft = { decision: input.decision, at, reason, allow_for_s: input.allow_for_s }
  const approval = afterVote(counted, voter, draft)
  const result = await settle(ctx, { ...inputs, approval, opened, salt, stillEligible })
  return { ...result, repeated: false }
}

const mustBePresent = (ctx: Context, held: Approval): Promise<void> =>
  changesGovernance(held) ? mustChangeInPerson(ctx) : mustHaveSteppedUp(ctx)

/** The same vote again, which still counts. The vote that another gave in somebody's name is not their own. */
function isRepeated(
  { held, eligible, governance }: VoteInputs,
  own: Voter,
  { decision, on_behalf_of }: VoteInput,
): boolean {
  const given = voteOf(held, own)
  if (given?.decision !== decision || !eligible.has(given.by.id)) return false
  if (!isInPerson(given) && personDecides(held, governance.settings)) return false
  if (on_behalf_of === own.id) return given.on_behalf_of === undefined
  if (on_behalf_of !== undefined) return given.by.id === own.id && given.on_behalf_of === on_behalf_of
  return given.by.id === own.id || given.on_behalf_of === undefined
}

/** An approval, and a rejection if a vote was given in the name of another: the person who ended that delegation may reject, too. */
const mustCountAgain = ({ votes }: Approval, { decision }: VoteInput): boolean =>
  decision === 'approve' || votes.some(({ on_behalf_of }) => on_behalf_of !== undefined)

/** The approval with only those earlier votes that have evidence, and whose voters may still give them. */
async function withCurrentVotes(ctx: Context, inputs: VoteInputs): Promise<Approval> {
  if (inputs.held.votes.length === 0) return inputs.held
  const [{ provenVotes }, { provenVoters }] = await Promise.all([
    import('../proven.ts'),
    import('./proven-delegation.ts'),
  ])
  const proven = await provenVotes(ctx, inputs)
  const eligible = await provenVoters(ctx, inputs.eligible)
  const countsBy = await countsByVoter(ctx, { ...inputs, settings: inputs.governance.settings })
  const given = { ...inputs.held, votes: [...proven].filter(countsBy) }
  const voters = await Promise.all(
    given.votes.map(async (one) => {
      const voter = eligible.get(one.by.id)?.voter
      return [one, voter && (await weighed(ctx, { ...given, stage: one.stage }, voter))] as const
    }),
  )
  const voterOf = new Map<Vote, Voter | undefined>(voters)
  return recountVotes(inputs.held, (one) => voterOf.get(one))
}

async function settle(
  ctx: Context,
  { stillEligible, ...open }: ApprovedAction & { approval: Approval; stillEligible: Write[] },
) {
  const { held, approval, execution, opened } = open
  if (approval.status === 'rejected') {
    const rejected = await rejectHeld(ctx, held, approval, execution, stillEligible)
    return { approval, execution: rejected, opened }
  }
  if (approval.status === 'pending') {
    await storeVote(ctx, held, approval, execution, stillEligible)
    return { approval, execution, opened }
  }
  const { refusal, ...judged } = await reevaluate(ctx, open)
  if (refusal && isFrozen(refusal)) throw voteWhileFrozen(refusal)
  return refusal
    ? refuseTo(ctx, open, refusal)
    : carryOut(ctx, { ...open, ...judged, voters: voterChecks(ctx, open, stillEligible) })
}

/** Lets the commit fail when somebody whose vote counts has lost the right to give it. */
function voterChecks(
  { principal, space }: Context,
  { eligible, approval }: ApprovedAction & { approval: Approval },
  stillEligible: readonly Write[],
): Write[] {
  const earlier = approval.votes.filter(counts).flatMap(({ by }) => eligible.get(by.id)?.stillEligible ?? [])
  // For a vote in the name of another, `stillEligible` checks the voter's account already, and a commit can check an item only once.
  if (principal.kind !== 'user' || stillEligible.length > 0) return [...earlier, ...stillEligible]
  const active = { expression: '#status = :active', names: { '#status': 'status' }, values: { ':active': 'active' } }
  const self = { tenant_id: space.tenant_id, id: principal.id }
  return [
    ...earlier,
    users.check(self, active, forbidden('Your account is no longer active. Ask an administrator of your tenant.')),
  ]
}

/** The approval after a vote, with the execution it decides on. */
export function voteResponse({ approval, execution, opened, repeated, also_waiting }: Voted): HttpResponse {
  const at = approval.votes.at(-1)?.at ?? approval.requested_at
  const sla = approvalSlaView(approval, Date.parse(at))
  const body = { ...approval, sla, execution: executionView(execution, opened), ...alsoIn(also_waiting) }
  return repeated ? unchanged(body) : httpResponse(200, body)
}

const alsoIn = (waiting: Voted['also_waiting']) =>
  waiting && {
    also_waiting: waiting.map(({ approval: { id, request_id, action_digest, requested_at, expires_at } }) => ({
      id,
      request_id,
      action_digest,
      requested_at,
      expires_at,
    })),
  }

/** The present state, for a repeat with the same Idempotency-Key. */
export async function replayVote(ctx: Context, id: string): Promise<HttpResponse> {
  const approval = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!approval) throw notFound('approval')
  const { execution, opened } = await visibleNow(ctx, openExecution(ctx, approval.request_id))
  return new HttpResponse(200, {
    ...(await approvalWithEvidence(ctx, approval, execution)),
    execution: executionView(execution, opened),
  })
}
