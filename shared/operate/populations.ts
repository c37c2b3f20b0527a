// Alerts and incidents as populations, from which an auditor draws samples.
import type { Population, Row } from '../assure/populations/population.ts'
import { pagesOf } from '../base/wire/page-of.ts'
import { type Alert, ALERT_STATUSES, alerts as alertItems, alertsKey } from './alerts/alert.ts'
import { firstId } from '../base/lib/ids.ts'
import { type Incident, incidents as incidentItems, incidentsKey } from './incidents/incident.ts'

/** An alert may fire again under its id, so it is listed by the last time, and not compared with the artifacts of the chain. */
const alerts: Population = {
  name: 'alerts',
  columns: [
    'id',
    'starts_at',
    'rule_id',
    'severity',
    'status',
    'occurrences',
    'acked_at',
    'acked_by',
    'resolved_at',
    'resolved_by',
    'resolution',
    'incident_id',
    'task_id',
  ],
  source: 'alerts',
  filter: 'fired last in the window',
  rows: async function* (ctx, { start_at, end_at }) {
    const partitions = ALERT_STATUSES.map((status) => alertsKey(ctx.space, status))
    const pages = pagesOf(ctx, {
      of: alertItems,
      index: 'gsi1',
      descending: false,
      from: start_at,
      to: end_at,
      groups: [{ name: 'all', partitions }],
    })
    for await (const page of pages) yield page.map(alertRow)
  },
}

const alertRow = (alert: Alert): Row => ({
  id: alert.id,
  starts_at: alert.starts_at,
  rule_id: alert.rule_id,
  severity: alert.severity,
  status: alert.status,
  occurrences: alert.occurrences,
  acked_at: alert.acked_at,
  acked_by: alert.acked_by,
  resolved_at: alert.resolved_at,
  resolved_by: alert.resolved_by,
  resolution: alert.resolution,
  incident_id: alert.incident_id,
  task_id: alert.task_id,
})

/** An id is made a little before the incident is dated. */
const LEAD_MS = 60_000

const incidents: Population = {
  name: 'incidents',
  columns: [
    'id',
    'created_at',
    'detected_at',
    'severity',
    'status',
    'source',
    'created_by_type',
    'created_by',
    'commander_id',
    'personal_data_breach',
    'notified_at',
    'resolved_at',
    'root_cause',
    'follow_ups',
    'runbook_id',
    'duplicate_of',
  ],
  source: 'incidents',
  filter: 'opened in the window',
  rows: async function* (ctx, { start_at, end_at }) {
    const pages = pagesOf(ctx, {
      of: incidentItems,
      index: 'gsi1',
      descending: false,
      from: firstId('inc', Date.parse(start_at) - LEAD_MS),
      to: firstId('inc', Date.parse(end_at)),
      groups: [{ name: 'all', partitions: [incidentsKey(ctx.space)] }],
      filter: ({ created_at }) => created_at >= start_at && created_at < end_at,
    })
    for await (const page of pages) yield page.map(incidentRow)
  },
  chain: {
    ofRow: ({ id, created_at }) => ({ id, at: String(created_at) }),
    ofArtifact: ({ type, subject }) => (type === 'incident.created' ? subject?.id : undefined),
  },
}

const incidentRow = (incident: Incident): Row => ({
  id: incident.id,
  created_at: incident.created_at,
  detected_at: incident.detected_at,
  severity: incident.severity,
  status: incident.status,
  source: incident.source,
  created_by_type: incident.created_by.type,
  created_by: incident.created_by.id,
  commander_id: incident.commander_id,
  personal_data_breach: incident.personal_data_breach,
  notified_at: incident.notified_at,
  resolved_at: incident.resolved_at,
  root_cause: (incident.root_cause ?? '').trim() !== '',
  follow_ups: incident.follow_up_task_ids.length,
  runbook_id: incident.runbook_id,
  duplicate_of: incident.duplicate_of,
})

export const operatePopulations: readonly Population[] = [incidents, alerts]
