// The incident that a rule opens by itself. While one is open, further alerts of the rule join it.
import * as z from 'zod'
import { spaceMembers } from '../../base/table/members.ts'
import type { Context, Space } from '../../base/context.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Alert } from '../alerts/alert.ts'
import type { AlertRule } from '../alerts/rule.ts'
import { operationsKey } from '../definitions/definition.ts'
import { latestRunbook, runbookForRule } from '../runbooks/find-runbook.ts'
import { newIncident } from './create-incident.ts'
import { incidents, severityOf } from './incident.ts'
import { entry, incidentParts } from './store-incident.ts'

/** The last incident of a rule. */
const ruleIncidents = entity({
  name: 'RULEINCIDENT',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    rule_id: z.string(),
    incident_id: z.string(),
  }),
  key: (of: Space & { rule_id: string }) => ({ pk: operationsKey(of), sk: key('RULEINC', of.rule_id) }),
})

type Parts = { id: string; writes: Write[]; transitions: Transition[] }

/** Parts for the commit of the alert's firing; `finishIncident` goes after it. */
export async function incidentFor(ctx: Context, rule: AlertRule, alert: Alert): Promise<Parts> {
  const { table, space } = ctx
  const last = await table.get(ruleIncidents, { ...space, rule_id: rule.id })
  const open = last && (await table.get(incidents, { ...space, id: last.incident_id }))
  if (open && open.status !== 'resolved' && open.status !== 'duplicated') {
    const next = { ...open, alert_ids: [...new Set([...open.alert_ids, alert.id])] }
    const { writes, transition } = incidentParts(ctx, open, next, [entry(ctx, 'alert', { to: alert.id })])
    return { id: open.id, writes, transitions: [transition] }
  }
  const id = ctx.id('inc')
  const runbook =
    rule.runbook_id === undefined ? await runbookForRule(ctx, rule) : await latestRunbook(ctx, rule.runbook_id)
  const incident = {
    ...newIncident(ctx, id, {
      title: alert.title,
      severity: severityOf(alert.severity),
      source: 'alert',
      alert_ids: [alert.id],
      affected: {
        node_ids: alert.labels.node_id ? [alert.labels.node_id] : [],
        slo_ids: alert.labels.slo_id ? [alert.labels.slo_id] : [],
      },
      detected_at: alert.starts_at,
    }),
    ...(runbook && { runbook_id: runbook.id, runbook_version: runbook.runbook_version, unfinished: true }),
  }
  const { writes, transition } = incidentParts(ctx, undefined, incident, [entry(ctx, 'created', { to: 'triage' })])
  const pointer = { ...space, rule_id: rule.id, incident_id: id }
  const point = last
    ? ruleIncidents.replace(pointer, last, new Overtaken())
    : ruleIncidents.insert(pointer, new Overtaken())
  return { id, writes: [...writes, point], transitions: [transition] }
}
