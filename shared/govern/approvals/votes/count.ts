// How votes count: what a vote changes, which earlier votes still count, and whether a person must decide.
import { mustAllowMove } from '../../../base/lib/states.ts'
import type { Approval, Stage, Vote } from '../approval.ts'
import {
  approvalLink,
  type ApprovalSettings,
  type VoteDraft,
  counts,
  FOR_PEOPLE,
  groupsOf,
  isDependent,
  isSelf,
  personDecides,
  raisersAmong,
  type Voter,
} from './rules.ts'
import { APPROVAL_STATES } from '../states.ts'
import type { Permission } from '../../../base/catalog/permissions.ts'
import { actsDirectly, type Context } from '../../../base/context.ts'
import { type Failure, forbidden } from '../../../base/lib/failure.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { mustBeInPerson } from '../../../identity/access/assurance.ts'
import type { Execution } from '../../executions/execution.ts'

/** The approval after an eligible vote: still pending, in its next stage, approved or rejected. */
export function afterVote(approval: Approval, voter: Voter, draft: VoteDraft): Approval {
  const vote: Vote = {
    by: { type: voter.type, id: voter.id },
    persons: [...voter.persons],
    groups: groupsOf(approval, voter, approval.stage),
    decision: draft.decision,
    at: draft.at,
    reason: draft.reason,
    stage: approval.stage,
    allow_for_s: draft.allow_for_s,
    ...(voter.on_behalf_of !== undefined && {
      on_behalf_of: voter.on_behalf_of,
      delegation_id: voter.delegation_id,
    }),
    ...(isSelf(approval, voter) && { self: true as const }),
    ...(voter.alone && { raised_by: raisersAmong(approval, voter) }),
  }
  const voted: Approval = { ...approval, votes: [...approval.votes, vote] }
  if (draft.decision === 'reject') return decided(voted, 'rejected', vote)
  const open = voted.stages.findIndex((stage, index) => !isComplete(stage, index, voted.votes))
  if (open >= 0)
    return { ...voted, stages: voted.stages.map((stage, index) => withStatus(stage, index, open)), stage: open }
  const stages = voted.stages.map((stage) => ({ ...stage, status: 'done' as const }))
  return decided({ ...voted, stages, stage: stages.length - 1 }, 'approved', vote)
}

/**
 * The approval with each vote compared with the present groups of its voter. `eligibleVoter` returns undefined for a voter who may no
 * longer vote. The vote of a person who depends on a requester lapses if others can decide. A complete stage may become incomplete.
 */
export function recountVotes(approval: Approval, eligibleVoter: (vote: Vote) => Voter | undefined): Approval {
  const votes = approval.votes.map((vote): Vote => {
    const voter = eligibleVoter(vote)
    const left = voter && !isDependent(approval, voter) ? groupsOf(approval, voter, vote.stage) : []
    const groups = vote.groups.filter((group) => left.includes(group))
    if (vote.lapsed || groups.length === 0) return { ...vote, lapsed: true }
    return { ...vote, groups, ...(voter?.alone && { raised_by: raisersAmong(approval, voter) }) }
  })
  return { ...approval, votes }
}

function decided(approval: Approval, status: 'approved' | 'rejected', vote: Vote): Approval {
  mustAllowMove(APPROVAL_STATES, approval.status, status)
  return {
    ...approval,
    status,
    decided_by: vote.by,
    decided_at: vote.at,
    reason: vote.reason,
    method: vote.by.type === 'user' ? 'manual' : 'api_key',
  }
}

const withStatus = (stage: Stage, index: number, open: number): Stage => ({
  ...stage,
  status: index < open ? 'done' : index === open ? 'open' : 'waiting',
})

function isComplete(stage: Stage, index: number, all: readonly Vote[]): boolean {
  const votes = all.filter((vote) => vote.stage === index && vote.decision === 'approve' && counts(vote))
  if (stage.mode === 'any') return votes.length >= stage.min_approvals
  return stage.groups.every(
    (group) => votes.filter((vote) => vote.groups.includes(group)).length >= stage.min_approvals,
  )
}

/** Kind and node of the action are in the table, where somebody could have changed them: before a key decides, the chain is read, too. */
type Asked = { held: Approval; execution: Execution; settings: ApprovalSettings }

/** Throws 403 for a key or a client where a person decides. A requester may always withdraw. */
export async function mustBePerson(
  ctx: Context,
  voter: Voter,
  { decision, ...asked }: Asked & Pick<VoteDraft, 'decision'>,
): Promise<void> {
  if (actsDirectly(voter) || (decision === 'reject' && isSelf(asked.held, voter))) return
  if (await isForPeople(ctx, asked)) throw signInToVote(ctx, asked.held)
}

/**
 * For a change of policies, settings, calendars or words. Throws 403 for keys and OAuth tokens, and for persons without the right or
 * without a fresh second factor.
 */
export async function mustChangeInPerson(ctx: Context, needed: Permission = 'policies:write'): Promise<void> {
  mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
  if (ctx.principal.permissions.has(needed)) return
  throw forbidden(`This changes what governs. Only a person with the permission ${needed} can approve it.`, {
    lacks: needed,
  })
}

/** Which earlier votes count by their kind of voter: the setting may have changed since a key voted. */
export async function countsByVoter(ctx: Context, asked: Asked): Promise<(vote: Vote) => boolean> {
  if (asked.held.votes.every(isInPerson)) return () => true
  const forPeople = await isForPeople(ctx, asked)
  return (vote) => !forPeople || isInPerson(vote)
}

export const isInPerson = ({ by }: Vote): boolean => by.type === 'user'

async function isForPeople(ctx: Context, { held, execution, settings }: Asked): Promise<boolean> {
  const { mode } = ctx.space
  if (personDecides({ ...held, mode }, settings)) return true
  if (settings.require_human_approver !== null || mode !== 'live') return false
  const { requestProven } = await import('../proven.ts')
  const { node_id = '', decision } = (await requestProven(ctx, execution)) ?? {}
  return decision === undefined || personDecides({ node_id, kind: decision.kind, mode }, settings)
}

function signInToVote({ space }: Context, { id }: Approval): Failure {
  const approval_url = approvalLink(space.tenant_id, id)
  return forbidden(`${FOR_PEOPLE} You can do both on ${approval_url}`, {
    code: 'person_required',
    members: { approval_url },
  })
}
