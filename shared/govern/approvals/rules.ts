// Pure rules: who may vote, and what a vote changes. A held action is decided once, in time, and never by its requester.
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
  /** Ids of directory groups. */
  groups?: readonly string[]
}

/** The tenant's settings for approvals. */
export type ApprovalSettings = { require_human_approver: boolean; allow_self_approval: boolean }

export type Ballot = {
  decision: 'approve' | 'reject'
  at: string
  reason?: string | undefined
  allow_for_s?: number | undefined
}

const overlaps = (a: readonly string[], b: readonly string[]) => a.some((person) => b.includes(person))

/** Whether a vote counts. A lapsed one does not and may be given again. */
export const counts = ({ lapsed }: Vote): boolean => !lapsed

/** The vote that this voter has already given, in any stage. */
export const voteOf = (approval: Approval, voter: Voter): Vote | undefined =>
  approval.votes.filter(counts).find((vote) => vote.by.id === voter.id || overlaps(vote.persons, voter.persons))

/** Throws 409 for an approval that can no longer be decided. */
export function mustBeOpen(approval: Approval, { decision, at }: Ballot, seen?: string): void {
  const { superseded_by, status, expires_at, action_digest } = approval
  if (superseded_by) throw conflict(`The action has changed. Decide approval ${superseded_by} instead.`)
  mustAllowMove(APPROVAL_STATES, status, VERDICTS[decision])
  if (at >= expires_at) throw conflict('This approval has expired. Request the action again.')
  if (seen !== undefined && seen !== action_digest)
    throw conflict('The held action is not the one that you saw. Read the approval again.')
}

const VERDICTS = { approve: 'approved', reject: 'rejected' } as const

/** The voter's groups in the open stage. Throws 403 for a voter who may not cast this ballot. */
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

/** Why this voter may not cast this ballot; undefined when they may. */
export function refusalOf(
  approval: Approval,
  voter: Voter,
  settings: ApprovalSettings,
  decision: Ballot['decision'],
): string | undefined {
  const self = isSelf(approval, voter)
  const withdraws = decision === 'reject' && self // a requester may always withdraw
  if (settings.require_human_approver && voter.type !== 'user' && !withdraws) {
    return 'Your tenant requires a person to decide. Sign in to vote.'
  }
  if (decision === 'approve' && self && !(settings.allow_self_approval && approval.allow_self)) {
    return 'You cannot approve an action that you requested. Ask another approver.'
  }
  if (groupsOf(approval, voter, approval.stage).length === 0 && !withdraws)
    return 'You are not among the approvers of this stage. Ask one of them.'
  return voteOf(approval, voter) && 'You have already voted on this approval. It waits for other approvers.'
}

const groupsOf = ({ stages }: Approval, voter: Voter, stage: number): string[] =>
  (stages[stage]?.groups ?? []).filter((group) => belongsTo(voter, group))

export const isSelf = (approval: Approval, voter: Voter): boolean =>
  voter.id === approval.requested_by.id || overlaps(voter.persons, approval.persons)

/** `any`: everybody with the permission, keys included. A key belongs to no other group but its own. */
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
    allow_for_s: ballot.allow_for_s,
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
 * The approval with its votes checked against the present groups of each voter; `standing` returns undefined for a voter who
 * may no longer vote. A complete stage may become incomplete.
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
