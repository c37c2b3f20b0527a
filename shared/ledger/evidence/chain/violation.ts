// The event that tells a tenant that its evidence was tampered with.
import { place, SEVERITIES } from '../../../base/catalog/measure-words.ts'
import type { Measure } from '../../../base/catalog/measures.ts'
import type { Event } from '../../events/event.ts'
import type { Finding } from './chain.ts'

const NAMED_MAX = 20

/** The check that a broken chain fails (compliance: EVD-01). */
const CHECK_ID = 'EVD-01'

type Named = Pick<Finding, 'artifact_id'>

/** An event of the service without an artifact, because the chain that would hold it is broken. */
export const violationEvent = (id: string, findings: readonly Named[]): Event => ({
  type: 'compliance.violation.detected',
  subject: { id, version: 1 },
  data: { ...violation(id, findings), actor: { type: 'system', id: 'system' }, evidence_artifact_id: null },
})

/** What the commit of such an event states. */
export const VIOLATION: Measure = ['i', place(SEVERITIES, 'critical')]

/** The members of the event, without frameworks and controls. */
export const violation = (violation_id: string, findings: readonly Named[]) => ({
  violation_id,
  check_id: CHECK_ID,
  severity: 'critical' as const,
  framework_ids: [],
  control_ids: [],
  failing_ids: findings.flatMap(({ artifact_id }) => artifact_id ?? []).slice(0, NAMED_MAX),
  task_id: null,
})
