// What a step of a runbook runs in an incident: its template, filled with what is known when its task is opened.
import type { Context } from '../../base/context.ts'
import type { PinnedAction } from '../../govern/tasks/task.ts'
import { type Alert, alerts } from '../alerts/alert.ts'
import { filled } from '../runbooks/template.ts'
import { type Runbook, type Step, templateOf } from '../runbooks/runbook.ts'

type About = { id: string; title: string; severity: string; detected_at: string; alert_ids: readonly string[] }
type Facts = Readonly<Record<string, string>>

/** What look-ups name: of the incident, and of the first of its alerts. */
export async function factsOf({ table, space }: Context, incident: About): Promise<Facts> {
  const [first] = incident.alert_ids
  const alert = first === undefined ? undefined : await table.get(alerts, { ...space, id: first })
  const { id, title, severity, detected_at } = incident
  return {
    'tenant.id': space.tenant_id,
    ...named('incident', { id, title, severity, detected_at }),
    ...(alert && factsOfAlert(alert)),
  }
}

const factsOfAlert = ({ id, title, severity, value, threshold, labels }: Alert): Facts => ({
  ...named('alert', { id, title, severity, value, threshold }),
  ...named('alert.labels', labels),
})

const named = (of: string, members: Record<string, string | number | null>): Facts =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${of}.${name}`, String(value ?? '')]))

/** Undefined for a manual step. */
export function actionOf(runbook: Runbook, step: Step, facts: Facts): PinnedAction | undefined {
  const { kind, node_id, action_id, payload_template = '{}' } = step
  if (kind !== 'action' || node_id === undefined || action_id === undefined) return undefined
  const { id: runbook_id, runbook_version, authors } = runbook
  return {
    node_id,
    action_id,
    runbook_id,
    runbook_version,
    authors,
    payload: filled(templateOf(payload_template), facts),
  }
}
