// For whom a vote counts: for the voter if they may vote, otherwise for a person who is away and delegated to them.
import type { Context } from '../../../base/context.ts'
import { type Failure, forbidden, invalid } from '../../../base/lib/failure.ts'
import type { Write } from '../../../base/table/entity.ts'
import type { Approval } from '../approval.ts'
import { groupIdsOf, weighed } from './voters.ts'
import { type ApprovalSettings, type VoteDraft, DEPENDENT, refusalOf, type Voter } from './rules.ts'
import type { EligibleVoter } from './eligible.ts'
import { iso } from '../../../base/lib/clock.ts'

export type VotingAs = {
  voter: Voter
  /** Checks that let the commit fail if the voter has lost the right to vote for another. */
  stillEligible: Write[]
}

type Asked = {
  settings: ApprovalSettings
  decision: VoteDraft['decision']
  /** The id of the person in whose name the vote is given; one's own id for a vote in nobody else's. */
  on_behalf_of?: string | undefined
}

/** Throws 403 for a voter who may not vote, 422 for one who could vote in the name of several. */
export async function votingAs(ctx: Context, approval: Approval, caller: Voter, asked: Asked): Promise<VotingAs> {
  const { settings, decision, on_behalf_of } = asked
  const isOther = on_behalf_of !== undefined && on_behalf_of !== caller.id
  const own = isOther || decision === 'reject' ? caller : await weighed(ctx, approval, caller)
  const refusal = isOther ? undefined : refusalOf(approval, own, settings, decision)
  if (!isOther && !refusal) return { voter: own, stillEligible: [] }
  if (refusal && on_behalf_of === own.id) throw refused(refusal)
  const given = await delegatedTo(ctx, approval, on_behalf_of)
  const [first, ...others] = given.filter(({ voter }) => !refusalOf(approval, voter, settings, decision))
  if (!first) throw refused(refusal ?? whyNot(ctx, approval, given[0]?.voter, asked))
  if (others.length > 0) throw invalid(['on_behalf_of'], `must name one of ${namesOf([first, ...others])}`)
  return first
}

const refused = (refusal: string): Failure =>
  forbidden(refusal, refusal === DEPENDENT ? { code: 'not_independent' } : {})

const whyNot = (ctx: Context, approval: Approval, voter: Voter | undefined, { settings, decision }: Asked): string => {
  if (ctx.principal.credential !== 'session') return 'Only a person who is signed in votes in the name of another.'
  const refusal = voter && refusalOf(approval, voter, settings, decision)
  return refusal ?? 'This person has delegated no votes on this action to you, or one of you may no longer decide.'
}

const namesOf = (given: readonly EligibleVoter[]): string =>
  given.flatMap(({ voter }) => voter.on_behalf_of ?? []).join(', ')

/** In whose name the caller may vote on actions of the approval's node. A table row without evidence gives no vote. */
async function delegatedTo(ctx: Context, approval: Approval, from: string | undefined): Promise<EligibleVoter[]> {
  const found = await eligibleVotersFor(ctx, approval, from)
  if (found.length === 0) return []
  const { provenVoters } = await import('./proven-delegation.ts')
  const proven = await provenVoters(ctx, new Map(found.map((one) => [one.voter.delegation_id ?? '', one])))
  const all = await Promise.all(
    [...proven.values()].map(async (one) => ({ ...one, voter: await weighed(ctx, approval, one.voter) })),
  )
  // Somebody may have delegated twice, for different nodes or times.
  return [...new Map(all.map((one) => [one.voter.on_behalf_of, one])).values()]
}

/** For whom the caller may vote on one approval, by the delegations in the table. Keys and OAuth clients vote for nobody else. */
export async function eligibleVotersFor(ctx: Context, approval: Approval, from?: string): Promise<EligibleVoter[]> {
  const { stages, stage, node_id } = approval
  return eligibleBy(ctx, from, { named: stages[stage]?.groups ?? [], node_id })
}

/** For a list of approvals: with all groups of those in whose name the caller may vote. */
export async function eligibleVotersOnAny(ctx: Context): Promise<EligibleVoter[]> {
  const found = await eligibleBy(ctx, undefined, { named: [] })
  return Promise.all(
    found.map(async (one) => {
      const groups = await groupIdsOf(ctx, one.voter.on_behalf_of ?? '')
      return { ...one, voter: { ...one.voter, groups } }
    }),
  )
}

async function eligibleBy(
  ctx: Context,
  from: string | undefined,
  { named, node_id }: { named: readonly string[]; node_id?: string },
): Promise<EligibleVoter[]> {
  const { table, space, principal } = ctx
  if (principal.credential !== 'session') return []
  const [{ covers, delegatedKey, delegations, delegationsOf }, { inNameOf }] = await Promise.all([
    import('../../delegations/delegation.ts'),
    import('./eligible.ts'),
  ])
  const range =
    from === undefined
      ? { pk: delegatedKey(space, principal.id), index: 'gsi3' as const, from: iso(ctx.now()) }
      : delegationsOf(space, from)
  const received = (await table.query(delegations, range)).filter(
    (one) => one.to_user_id === principal.id && (node_id === undefined || covers(one, node_id)),
  )
  const found = await Promise.all(received.map((one) => inNameOf(table, space, one, named)))
  return found.filter((one) => one !== undefined)
}
