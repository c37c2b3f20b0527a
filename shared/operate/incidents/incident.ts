// An incident: something went wrong that people bring to an end together. Its history is its timeline, one item
// for each change.
import * as z from 'zod'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { Context, Space } from '../../base/context.ts'
import type { States } from '../../base/lib/states.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { dueAt } from '../../base/table/due.ts'
import { CREATOR } from '../definitions/definition.ts'
import type { Severity } from '../definitions/severity.ts'
import { wholeRange } from '../../base/table/whole.ts'

export const INCIDENT_SEVERITIES = ['sev1', 'sev2', 'sev3', 'sev4'] as const
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number]

export const INCIDENT_STATUSES = [
  'triage',
  'investigating',
  'identified',
  'monitoring',
  'resolved',
  'duplicated',
] as const
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number]

/** A resolved one can be opened again for `REOPEN_MS`. */
export const INCIDENT_STATES: States<IncidentStatus> = {
  triage: ['investigating', 'duplicated', 'resolved'],
  investigating: ['identified', 'monitoring', 'resolved', 'duplicated'],
  identified: ['monitoring', 'investigating', 'resolved'],
  monitoring: ['resolved', 'investigating'],
  resolved: ['investigating'],
  duplicated: [],
}

export const REOPEN_MS = 7 * 86_400_000

/** GDPR, article 33: the authority is notified within 72 hours after a breach of personal data was noticed. */
export const NOTIFICATION_MS = 72 * 3_600_000

const OF_ALERT: Record<Severity, IncidentSeverity> = { critical: 'sev1', high: 'sev2', medium: 'sev3', low: 'sev4' }
export const severityOf = (severity: Severity): IncidentSeverity => OF_ALERT[severity]

const Instant = z.string()

export const Incident = z.object({
  ...resourceMembers,
  title: z.string().describe('A short title.'),
  description: z.string().optional().describe('A description for people.'),
  severity: z.enum(INCIDENT_SEVERITIES).describe('The severity.'),
  status: z.enum(INCIDENT_STATUSES).describe('The current state.'),
  source: z.enum(['alert', 'manual', 'violation']).describe('Where it came from.'),
  alert_ids: z.array(z.string()).describe('The alerts that belong to it.'),
  affected: z
    .object({
      node_ids: z
        .array(z.string())
        .describe('Nodes by id. `*` matches any characters within one part of the id, `**` matches anything.'),
      slo_ids: z.array(z.string()).describe('Objectives.'),
    })
    .describe('What it concerns.'),
  commander_id: z.string().optional().describe('The person who leads.'),
  personal_data_breach: z.boolean().describe('Personal data was breached: starts the 72 hours of GDPR, article 33.'),
  detected_at: Instant.describe('When it was noticed.'),
  /** When the authority was notified of a breach of personal data. */
  notified_at: Instant.optional().describe('When people, or for a breach the authority, were last told of it.'),
  root_cause: z.string().optional().describe('Why it happened.'),
  follow_up_task_ids: z.array(z.string()).describe('Tasks that were opened because of it.'),
  /** The runbook in the version that it was linked to. */
  runbook_id: z.string().optional().describe('The runbook of its incidents.'),
  runbook_version: z.int().optional().describe('Version of the runbook.'),
  /** Tasks of the steps of its runbook, and of the notification of a breach. */
  step_task_ids: z.array(z.string()).describe('Tasks of the steps of its runbook.'),
  breach_task_id: z.string().optional().describe('The task of notifying the authority.'),
  /** The 72 hours ended without a notification, and that was reported. */
  breach_overrun: z.boolean(),
  /** Tasks or alerts that go with its last change are still missing. */
  unfinished: z.boolean().optional(),
  duplicate_of: z.string().optional().describe('The incident that it repeats.'),
  resolved_at: Instant.optional().describe('When it was resolved.'),
  created_at: Instant.describe('When it was created.'),
  updated_at: Instant.describe('When it was last changed.'),
  created_by: CREATOR.describe('The caller that created it.'),
})
export type Incident = z.output<typeof Incident>

export const incidentsKey = (space: Space): string => spaceKey(space, 'INCIDENTS')
export const incidentKey = (space: Space, id: string): string => spaceKey(space, 'INCIDENT', id)

export const incidents = entity({
  name: 'INCIDENT',
  unbound: 'bounded',
  schema: Incident,
  key: (of: Space & { id: string }) => ({ pk: incidentKey(of, of.id), sk: 'INCIDENT' }),
  index: (incident) => ({
    gsi1pk: incidentsKey(incident),
    gsi1sk: incident.id,
    ...dueAt(nextLook(incident), incident.id),
  }),
})

export const breachEnd = (detectedAt: string): string =>
  new Date(Date.parse(detectedAt) + NOTIFICATION_MS).toISOString()

/** When the sweeper looks at it: as soon as possible for one that is unfinished, else when its 72 hours end. */
function nextLook(incident: Incident): string | undefined {
  const { personal_data_breach, notified_at, breach_overrun, detected_at, unfinished, updated_at } = incident
  if (unfinished) return updated_at
  return personal_data_breach && notified_at === undefined && !breach_overrun ? breachEnd(detected_at) : undefined
}

export const Entry = z.object({
  at: Instant.describe('When it happened.'),
  actor: CREATOR.describe('Who did it.'),
  type: z
    .enum(['created', 'status', 'changed', 'note', 'alert', 'runbook', 'breach'])
    .describe('What kind of change it is.'),
  from: z.string().optional().describe('The former value.'),
  to: z.string().optional().describe('The new value.'),
  note: z.string().optional().describe('A note for people.'),
})
export type Entry = z.output<typeof Entry>

const TimelineItem = Entry.extend({
  ...spaceMembers,
  incident_id: z.string(),
  id: z.string(),
})

export const TIMELINE_PREFIX = 'TL#'

export const timeline = entity({
  name: 'INCIDENTENTRY',
  unbound: 'bounded',
  schema: TimelineItem,
  key: (of: Space & { incident_id: string; id: string }) => ({
    pk: incidentKey(of, of.incident_id),
    sk: key('TL', of.id),
  }),
})

export const IncidentView = Incident.omit({ mode: true, breach_overrun: true, unfinished: true }).extend({
  duration_s: z.int().nullable().describe('Seconds from its detection to its end; null while it goes on.'),
  /** When the authority must have been notified of a breach of personal data; null without one. */
  notification_due_at: z.string().nullable().describe('When the authority must have been told; null without a breach.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export const IncidentDetail = IncidentView.extend({
  timeline: z.array(Entry).describe('What happened to it, the oldest first.'),
})

export function incidentView(incident: Incident & { _v: number }) {
  const { resolved_at, detected_at, personal_data_breach } = incident
  return {
    ...incident,
    duration_s: resolved_at ? Math.round((Date.parse(resolved_at) - Date.parse(detected_at)) / 1_000) : null,
    notification_due_at: personal_data_breach ? breachEnd(detected_at) : null,
    version: incident._v,
  }
}

const MOST = 20_000

/** How many incidents of the space are neither resolved nor duplicates. */
export async function openIncidents({ table, space }: Context): Promise<number> {
  const all = await wholeRange(table, incidents, { pk: incidentsKey(space), index: 'gsi1' }, MOST)
  return all.filter(({ status }) => status !== 'resolved' && status !== 'duplicated').length
}
