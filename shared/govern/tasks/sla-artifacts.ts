// The artifacts of missed targets and escalations, for tasks and approvals.
import type { Escalation } from '../../base/sla/policy.ts'
import type { SlaClock } from '../../base/sla/sla.ts'
import type { ArtifactFacts } from '../../ledger/evidence/artifact/artifact.ts'

type Met = { missed: readonly SlaClock[]; escalations: readonly Escalation[] }

/** Evidence of every clock that ran out, and of everything that was done because of the time. */
export const slaArtifacts = (subject: ArtifactFacts['subject'], policy_id: string, met: Met): ArtifactFacts[] => [
  ...met.missed.map((clock) => ({ type: 'sla.missed' as const, subject, data: { policy_id, clock } })),
  ...met.escalations.map(({ after_percent, action }) => ({
    type: 'sla.escalated' as const,
    subject,
    data: { policy_id, after_percent, action },
  })),
]
