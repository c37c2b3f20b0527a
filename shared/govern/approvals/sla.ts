// The SLA of an approval. Who answered and when follows from the votes and the decision, so only the rest is stored; evidence
// of what was missed are artifacts of their own.
import { slaPolicy } from '../../base/sla/policies.ts'
import { answered, ended, nextLook, type Sla, slaView } from '../../base/sla/sla.ts'
import type { Approval } from './approval.ts'

/** As it stood after the last vote or decision; undefined for approvals from before there were any. */
export function slaOf({ sla, votes, status, decided_at, superseded_by }: Approval): Sla | undefined {
  if (!sla) return undefined
  const started: Sla = { ...sla, status: 'active', breaches: sla.reported }
  const [first] = votes
  const voted = first ? answered(started, Date.parse(first.at)) : started
  if (status === 'pending') return voted
  const dropped = status === 'cancelled' || superseded_by !== undefined
  const end = decided_at ?? votes.at(-1)?.at ?? sla.running_since ?? ''
  return ended(voted, slaPolicy(sla.policy_id), Date.parse(end), dropped ? 'dropped' : 'done')
}

/** When the sweeper has to look at it for its SLA. */
export function nextSlaLook(approval: Approval): string | undefined {
  const sla = slaOf(approval)
  const last = approval.decided_at ?? approval.votes.at(-1)?.at ?? approval.requested_at
  return sla && nextLook(sla, slaPolicy(sla.policy_id), Date.parse(last))
}

export type ApprovalSlaView = ReturnType<typeof slaView>

export function approvalSlaView(approval: Approval, now: number): ApprovalSlaView | undefined {
  const sla = slaOf(approval)
  return sla && slaView(sla, now)
}
