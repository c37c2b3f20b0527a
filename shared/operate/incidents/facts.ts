import type { FactAsk, IncidentFact } from '../../base/ports/facts.ts'
import { firstId } from '../../base/lib/ids.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { type Incident, incidents as items, incidentsKey } from './incident.ts'

/** One that is not over yet counts for as long, also in a shorter window. */
const OPEN_MS = 400 * 86_400_000
const MOST = 20_000

export async function incidents({ ctx: { table, space }, now, since }: FactAsk): Promise<IncidentFact[]> {
  const from = firstId('inc', Math.min(since, now - OPEN_MS))
  const found = await wholeRange(table, items, { pk: incidentsKey(space), index: 'gsi1', from }, MOST)
  return found.map(factOf)
}

const factOf = (incident: Incident): IncidentFact => ({
  id: incident.id,
  status: incident.status,
  detected_at: incident.detected_at,
  resolved_at: incident.resolved_at,
  breach: incident.personal_data_breach,
  notified_at: incident.notified_at,
  root_cause: (incident.root_cause ?? '').trim() !== '',
  follow_ups: incident.follow_up_task_ids.length,
})
