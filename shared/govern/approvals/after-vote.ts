// Pure rules: what a vote changes.
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Approval, Stage, Vote } from './approval.ts'
import { type Ballot, counts, groupsOf, isDependent, isSelf, raisersAmong, type Voter } from './rules.ts'
import { APPROVAL_STATES } from './states.ts'

/** The approval after an eligible vote: still pending, in its next stage, approved or rejected. */
export function afterVote(approval: Approval, voter: Voter, ballot: Ballot): Approval {
  const vote: Vote = {
    by: { type: voter.type, id: voter.id },
    persons: [...voter.persons],
    groups: groupsOf(approval, voter, approval.stage),
    decision: ballot.decision,
    at: ballot.at,
    reason: ballot.reason,
    stage: approval.stage,
    allow_for_s: ballot.allow_for_s,
    ...(voter.on_behalf_of !== undefined && {
      on_behalf_of: voter.on_behalf_of,
      delegation_id: voter.delegation_id,
    }),
    ...(isSelf(approval, voter) && { self: true as const }),
    ...(voter.alone && { raised_by: raisersAmong(approval, voter) }),
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
 * may no longer vote. An approval of somebody behind whom a requester stands lapses when others can decide. A complete stage may
 * become incomplete.
 */
export function recountVotes(approval: Approval, standing: (vote: Vote) => Voter | undefined): Approval {
  const votes = approval.votes.map((vote): Vote => {
    const voter = standing(vote)
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
