// Who may decide, and what a vote does: pure rules on values. A held action is decided once, in time, and never by the
// one who asked for it.
import type { ActorKind } from '../../base/context.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Approval, Stage, Vote } from './approval.ts'
import { APPROVAL_STATES } from './states.ts'

export type Voter = {
  type: ActorKind
  id: string
  persons: readonly string[]
  roles: readonly string[]
  /** Ids of groups of the directory. */
  groups?: readonly string[]
}

/** The tenant's switches that approvals obey. */
export type ApprovalSettings = { require_human_approver: boolean; allow_self_approval: boolean }

export type Ballot = { decision: 'approve' | 'reject'; at: string; reason?: string | undefined }

const meets = (a: readonly string[], b: readonly string[]) => a.some((person) => b.includes(person))

/** Whether a vote is one at all; a lapsed one may be given again. */
export const counts = ({ lapsed }: Vote): boolean => !lapsed

/** The vote this voter has already given, in any stage. */
export const voteOf = (approval: Approval, voter: Voter): Vote | undefined =>
  approval.votes.filter(counts).find((vote) => vote.by.id === voter.id || meets(vote.persons, voter.persons))

/** Throws the 409 of an approval that can no longer be decided. Times are compared as they are stored. */
export function mustBeOpen(approval: Approval, { decision, at }: Ballot, seen?: string): void {
  const { superseded_by, status, expires_at, action_digest } = approval
  if (superseded_by) throw conflict(`the action changed; decide approval ${superseded_by} instead`)
  mustAllowMove(APPROVAL_STATES, status, VERDICTS[decision])
  if (at >= expires_at) throw conflict('the approval has expired')
  if (seen !== undefined && seen !== action_digest) throw conflict('action_digest is not that of the waiting action')
}

const VERDICTS = { approve: 'approved', reject: 'rejected' } as const

/** Throws the 403 of a voter who may not cast this ballot; returns the groups of the open stage the voter is in. */
export function eligibleGroups(
  approval: Approval,
  voter: Voter,
  settings: ApprovalSettings,
  decision: Ballot['decision'],
): string[] {
  const refusal = refusalOf(approval, voter, settings, decision)
  if (refusal) throw forbidden(refusal)
  return groupsOf(approval, voter, approval.stage)
}

/** Why this voter may not cast this ballot; undefined when nothing speaks against it. */
export function refusalOf(
  approval: Approval,
  voter: Voter,
  settings: ApprovalSettings,
  decision: Ballot['decision'],
): string | undefined {
  const self = isSelf(approval, voter)
  const withdraws = decision === 'reject' && self // always allowed
  if (settings.require_human_approver && voter.type !== 'user' && !withdraws) {
    return 'This tenant requires a person to decide.'
  }
  if (decision === 'approve' && self && !(settings.allow_self_approval && approval.allow_self)) {
    return 'Nobody approves an action they asked for.'
  }
  if (groupsOf(approval, voter, approval.stage).length === 0 && !withdraws)
    return 'You are not among the approvers of this stage.'
  return voteOf(approval, voter) && 'You have already voted on this approval.'
}

const groupsOf = ({ stages }: Approval, voter: Voter, stage: number): string[] =>
  (stages[stage]?.groups ?? []).filter((group) => belongsTo(voter, group))

export const isSelf = (approval: Approval, voter: Voter): boolean =>
  voter.id === approval.requested_by.id || meets(voter.persons, approval.persons)

/** `any`: everybody who holds the permission. A key counts there, and where it is named. */
function belongsTo(voter: Voter, group: string): boolean {
  const [kind, name] = [group.slice(0, group.indexOf(':')), group.slice(group.indexOf(':') + 1)]
  if (group === 'any') return true
  if (kind === 'key') return voter.type === 'api_key' && voter.id === name
  if (voter.type !== 'user') return false
  if (kind === 'role') return voter.roles.includes(name)
  return kind === 'group' ? (voter.groups ?? []).includes(name) : kind === 'user' && voter.id === name
}

/** The approval after an eligible vote: still pending, in its next stage, approved or rejected. */
export function afterVote(approval: Approval, voter: Voter, groups: string[], ballot: Ballot): Approval {
  const vote: Vote = {
    by: { type: voter.type, id: voter.id },
    persons: [...voter.persons],
    groups,
    decision: ballot.decision,
    at: ballot.at,
    reason: ballot.reason,
    stage: approval.stage,
    ...(isSelf(approval, voter) && { self: true as const }),
  }
  const voted: Approval = { ...approval, votes: [...approval.votes, vote] }
  if (ballot.decision === 'reject') return decided(voted, 'rejected', vote)
  const open = voted.stages.findIndex((stage, index) => !isComplete(stage, index, voted.votes))
  if (open >= 0)
    return { ...voted, stages: voted.stages.map((stage, index) => withStatus(stage, index, open)), stage: open }
  const stages = voted.stages.map((stage) => ({ ...stage, status: 'done' as const }))
  return decided({ ...voted, stages, stage: stages.length - 1 }, 'approved', vote)
}

/**
 * The approval with each vote measured by its voter as they stand now; undefined: they may decide nothing any more. A stage
 * that was complete may have to be completed again.
 */
export function recountVotes(approval: Approval, standing: (vote: Vote) => Voter | undefined): Approval {
  const votes = approval.votes.map((vote): Vote => {
    const voter = standing(vote)
    const left = voter ? groupsOf(approval, voter, vote.stage) : []
    const groups = vote.groups.filter((group) => left.includes(group))
    return vote.lapsed || groups.length === 0 ? { ...vote, lapsed: true } : { ...vote, groups }
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
