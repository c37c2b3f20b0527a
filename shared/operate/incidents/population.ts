import type { Population, Row } from '../../assure/populations/population.ts'
import { firstId } from '../../base/lib/ids.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import { type Incident, incidents as items, incidentsKey } from './incident.ts'

/** An id is made a little before the incident is dated. */
const LEAD_MS = 60_000

export const incidents: Population = {
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
      of: items,
      index: 'gsi1',
      descending: false,
      from: firstId('inc', Date.parse(start_at) - LEAD_MS),
      to: firstId('inc', Date.parse(end_at)),
      groups: [{ name: 'all', partitions: [incidentsKey(ctx.space)] }],
      filter: ({ created_at }) => created_at >= start_at && created_at < end_at,
    })
    for await (const page of pages) yield page.map(rowOf)
  },
  chain: {
    ofRow: ({ id, created_at }) => ({ id, at: String(created_at) }),
    ofArtifact: ({ type, subject }) => (type === 'incident.created' ? subject?.id : undefined),
  },
}

const rowOf = (incident: Incident): Row => ({
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
