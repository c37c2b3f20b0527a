// An approval that waits, and people and keys who might decide it.
import { forbidden } from '../../../../shared/base/lib/failure.ts'
import type { Approval, Stage } from '../../../../shared/govern/approvals/approval.ts'
import { afterVote } from '../../../../shared/govern/approvals/votes/count.ts'
import { type ApprovalSettings, refusalOf, type Voter } from '../../../../shared/govern/approvals/votes/rules.ts'

export const EXPIRES = '2026-11-20T10:00:00.000Z'
export const BEFORE = '2026-11-20T09:59:59.999Z'
export const STRICT: ApprovalSettings = { require_human_approver: false, allow_self_approval: false }

type Draft = Pick<Stage, 'groups'> & Partial<Stage>

/** The first stage is open, the others wait. */
export const stagesOf = (...drafts: Draft[]): Stage[] =>
  drafts.map((draft, index) => ({ min_approvals: 1, mode: 'any', status: index === 0 ? 'open' : 'waiting', ...draft }))

/** Asked for by `key_maker`, a key that `usr_maker` made. */
export const pending = (over: Partial<Approval> = {}): Approval => ({
  tenant_id: 'ten_1',
  mode: 'live',
  id: 'apr_1',
  request_id: 'exe_1',
  status: 'pending',
  action_digest: `sha256:${'a'.repeat(64)}`,
  node_id: 'crm.contacts.editor',
  action_id: 'delete_contact',
  version: '1.0.0',
  tier: 'HARD',
  kind: 'delete',
  risk: 80,
  reasons: ['verb'],
  requested_by: { type: 'api_key', id: 'key_maker' },
  requested_at: '2026-11-20T09:00:00.000Z',
  persons: ['usr_maker'],
  policy_ids: [],
  policy_set_version: `sha256:${'b'.repeat(64)}`,
  allow_self: false,
  stages: stagesOf({ groups: ['any'] }),
  stage: 0,
  votes: [],
  expires_at: EXPIRES,
  ...over,
})

export const user = (name: string, ...roles: string[]): Voter => ({
  type: 'user',
  id: `usr_${name}`,
  persons: [`usr_${name}`],
  roles,
})

export const keyOf = (name: string, id = `key_${name}`): Voter => ({
  type: 'api_key',
  id,
  persons: [`usr_${name}`],
  roles: [],
})

/** Votes with all rules of eligibility. */
export function vote(
  approval: Approval,
  voter: Voter,
  decision: 'approve' | 'reject' = 'approve',
  settings: ApprovalSettings = STRICT,
): Approval {
  const refusal = refusalOf(approval, voter, settings, decision)
  if (refusal) throw forbidden(refusal)
  return afterVote(approval, voter, { decision, at: BEFORE, reason: `${voter.id} says ${decision}` })
}
