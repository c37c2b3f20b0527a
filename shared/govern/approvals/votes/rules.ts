// Pure rules: who may vote. A held action is decided once, in time, and never by its requester.
import type { Kind } from '../../../base/catalog/kinds.ts'
import { type ActorKind, actsDirectly } from '../../../base/context.ts'
import { conflict } from '../../../base/lib/failure.ts'
import { mustAllowMove } from '../../../base/lib/states.ts'
import { needsApprovalEach } from '../../governance/rule-terms.ts'
import type { GovernanceSettings } from '../../governance/settings.ts'
import { changesGovernance, isOwn } from '../../manifests/platform-nodes.ts'
import { among } from '../../../identity/accounts/raise.ts'
import type { Approval, Vote } from '../approval.ts'
import { APPROVAL_STATES } from '../states.ts'
import { pagesUrl } from '../../../identity/sso/addresses.ts'

export type Voter = {
  type: ActorKind
  id: string
  persons: readonly string[]
  roles: readonly string[]
  /** Ids of directory groups. */
  groups?: readonly string[]
  /** The person for whom the voter votes. Then roles and groups are that person's, and `persons` holds both. */
  on_behalf_of?: string
  delegation_id?: string
  /** The OAuth client that acts for a person. None may have the scope for votes; where one had, it would be no person. */
  client_id?: string | undefined
  /** Who could act through the account of the voter, or through that of the person for whom they vote (decision 0175). */
  raised_by?: readonly string[]
  /** Nobody who is independent of the requesters could decide instead. */
  alone?: true
}

/** The tenant's settings for approvals. */
export type ApprovalSettings = Pick<GovernanceSettings, 'require_human_approver' | 'allow_self_approval'>

/** For changes of policies and settings, so that nobody first changes the settings by which the change is then approved. */
const ANOTHER_PERSON: ApprovalSettings = { require_human_approver: true, allow_self_approval: false }

export type VoteDraft = {
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
export function mustBeOpen(approval: Approval, { decision, at }: VoteDraft, seen?: string): void {
  const { superseded_by, status, expires_at, action_digest } = approval
  if (superseded_by) throw conflict(`The action has changed. Decide approval ${superseded_by} instead.`)
  mustAllowMove(APPROVAL_STATES, status, VERDICTS[decision])
  if (at >= expires_at) throw conflict('This approval has expired. Request the action again.')
  if (seen !== undefined && seen !== action_digest)
    throw conflict('The held action is not the one that you saw. Read the approval again.')
}

const VERDICTS = { approve: 'approved', reject: 'rejected' } as const

/** Kinds without a class floor that are as hard to undo as those with one. */
const ALSO_FOR_PEOPLE: ReadonlySet<string> = new Set<Kind>(['destructive', 'permission'])

/**
 * Whether only a person decides, and neither a key nor a client (decision 0179). Where the tenant has not said so: in live mode,
 * on kinds with a class floor, on what destroys or gives rights, on a kind that nobody knows, and on what changes the service
 * itself, since an approved routing update also deploys models.
 */
export const personDecides = (
  { kind, mode, node_id }: Pick<Approval, 'kind' | 'mode' | 'node_id'>,
  { require_human_approver: setting }: Pick<ApprovalSettings, 'require_human_approver'>,
): boolean => setting ?? (mode === 'live' && (needsApprovalEach(kind) || ALSO_FOR_PEOPLE.has(kind) || isOwn(node_id)))

/** Why this voter may not cast this draft; undefined when they may. */
export function refusalOf(
  approval: Approval,
  voter: Voter,
  settings: ApprovalSettings,
  decision: VoteDraft['decision'],
): string | undefined {
  const given = voteOf(approval, voter)
  return ineligibility(approval, voter, settings, decision) ?? (given && alreadyGiven(given, voter))
}

/** Why a vote of this voter would not count, whether or not they have given it. */
export function ineligibility(
  approval: Approval,
  voter: Voter,
  ofTenant: ApprovalSettings,
  decision: VoteDraft['decision'],
): string | undefined {
  const settings = changesGovernance(approval) ? ANOTHER_PERSON : ofTenant
  const self = isSelf(approval, voter)
  if (self && voter.on_behalf_of !== undefined)
    return 'You cannot vote in the name of somebody on an action that one of you requested.'
  if (voter.on_behalf_of !== undefined && changesGovernance(approval))
    return 'You cannot vote in the name of somebody on a change of what governs.'
  const withdraws = decision === 'reject' && self // a requester may always withdraw
  if (!withdraws && !actsDirectly(voter) && personDecides(approval, settings)) return FOR_PEOPLE
  if (decision === 'approve' && self && !(settings.allow_self_approval && approval.allow_self)) {
    return 'You cannot approve an action that you requested. Ask another approver.'
  }
  if (groupsOf(approval, voter, approval.stage).length === 0 && !withdraws)
    return 'You are not among the approvers of this stage. Ask one of them.'
  return decision === 'approve' && isDependent(approval, voter) ? DEPENDENT : undefined
}

export const FOR_PEOPLE = 'Only a person decides on this action, not a key or a client. Sign in to vote.'

export const DEPENDENT =
  'You cannot approve this: somebody who could have requested it invited you, gave you the right to decide, or reset your ' +
  'account within 30 days. Ask another approver, or ask an administrator who is independent to confirm your account.'

/** Those who could have made the request, and made, promoted or could have taken over the account of the voter. */
export const raisersAmong = (approval: Approval, { raised_by = [] }: Voter): string[] =>
  among(raised_by, approval.persons)

/** Whether the vote would be that of a requester, and others could decide. */
export const isDependent = (approval: Approval, voter: Voter): boolean =>
  !voter.alone && !isSelf(approval, voter) && raisersAmong(approval, voter).length > 0

/** Who votes for another has one vote for both. */
function alreadyGiven(given: Vote, voter: Voter): string {
  if (given.by.id !== voter.id && given.on_behalf_of === voter.id)
    return 'Somebody to whom you delegated has voted in your name. It waits for other approvers.'
  if (voter.on_behalf_of !== undefined && given.by.id !== voter.id)
    return 'The person in whose name you vote has voted already. It waits for other approvers.'
  return 'You have already voted on this approval. It waits for other approvers.'
}

/** The groups of a stage that the voter belongs to. */
export const groupsOf = ({ stages }: Approval, voter: Voter, stage: number): string[] =>
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
  if (kind === 'group') return (voter.groups ?? []).includes(name)
  return kind === 'user' && name === (voter.on_behalf_of ?? voter.id)
}

/** The page on which a signed-in person sees the exact action and decides. The link has no credential in it. */
export const approvalLink = (tenantId: string, approvalId: string): string => `${pagesUrl()}${tenantId}/${approvalId}`
