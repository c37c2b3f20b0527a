// Creates an incident: by hand, or by a rule whose alert fires. Beside it, what a request may say of an incident.
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { entity, key, type Stored, type Write } from '../../base/table/entity.ts'
import { type Incident, INCIDENT_SEVERITIES, INCIDENT_STATUSES, incidents, severityOf } from './incident.ts'
import { breachTask, mustBeAlerts, mustBePerson, mustHavePassed } from './change-incident.ts'
import { finishIncident } from './finish-incident.ts'
import { latestRunbook, mustBeRunbook, runbookForRule } from '../runbooks/runbook.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import { commitIncident, entry, incidentParts } from './store-incident.ts'
import * as z from 'zod'
import { spaceMembers } from '../../base/table/members.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Alert } from '../alerts/alert.ts'
import type { AlertRule } from '../alerts/rule.ts'
import { operationsKey } from '../definitions/definition.ts'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'

/**
 * Stores the incident in `triage`, with its evidence and, for a breach of personal data, the task that runs for 72 hours; then
 * opens the tasks of its runbook and links its alerts. Throws 422 for an alert, runbook or person that does not exist and for a
 * time in the future. If the process dies after the commit, the sweeper does the rest: the incident is marked `unfinished`.
 */
export const createIncident = (ctx: Context, input: IncidentInput): Promise<Stored<Incident>> =>
  retryWhenChanged(async () => {
    const [runbook, text] = await Promise.all([
      input.runbook_id === undefined ? undefined : mustBeRunbook(ctx, input.runbook_id),
      storedTexts(ctx, { title: input.title, description: input.description }),
      mustBeAlerts(ctx, input.alert_ids, 'alert_ids'),
      mustBePerson(ctx, input.commander_id),
    ])
    const now = iso(ctx.now())
    const detected_at = input.detected_at ?? now
    mustHavePassed(ctx, 'detected_at', detected_at)
    const incident: Incident = {
      ...newIncident(ctx, ctx.id('inc'), { ...input, ...text, detected_at }),
      ...(runbook && { runbook_id: runbook.id, runbook_version: runbook.runbook_version, unfinished: true }),
    }
    const opened = incident.personal_data_breach ? await breachTask(ctx, incident) : undefined
    const next = { ...incident, breach_task_id: opened?.task.id }
    await commitIncident(ctx, undefined, next, { entries: [entry(ctx, 'created', { to: 'triage' })], parts: [opened] })
    return finishIncident(ctx, next.id)
  })

type Draft = Pick<Incident, 'title' | 'severity' | 'detected_at' | 'alert_ids'> & Partial<Incident>

/** An incident in its first state. */
export function newIncident(ctx: Context, incidentId: string, draft: Draft): Incident {
  const now = iso(ctx.now())
  return {
    affected: { node_ids: [], slo_ids: [] },
    personal_data_breach: false,
    ...draft,
    ...ctx.space,
    id: incidentId,
    status: 'triage',
    source: draft.source ?? 'manual',
    follow_up_task_ids: [],
    step_task_ids: [],
    breach_overrun: false,
    ...(draft.alert_ids.length > 0 && { unfinished: true }),
    created_at: now,
    updated_at: now,
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
}

/** The last incident of a rule: while it is open, further alerts of the rule join it. */
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

/** The incident that a rule opens by itself, as parts for the commit of the alert's firing; `finishIncident` goes after it. */
export async function incidentFor(ctx: Context, rule: AlertRule, alert: Alert): Promise<Parts> {
  const { table, space } = ctx
  const last = await table.get(ruleIncidents, { ...space, rule_id: rule.id })
  const open = last && (await table.get(incidents, { ...space, id: last.incident_id }))
  if (open && open.status !== 'resolved' && open.status !== 'duplicated') {
    const next = { ...open, alert_ids: [...new Set([...open.alert_ids, alert.id])] }
    const { writes, transition } = incidentParts(ctx, open, next, [entry(ctx, 'alert', { to: alert.id })])
    return { id: open.id, writes, transitions: [transition] }
  }
  const incident_id = ctx.id('inc')
  const runbook =
    rule.runbook_id === undefined ? await runbookForRule(ctx, rule) : await latestRunbook(ctx, rule.runbook_id)
  const incident = {
    ...newIncident(ctx, incident_id, {
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
  const pointer = { ...space, rule_id: rule.id, incident_id }
  const point = last
    ? ruleIncidents.replace(pointer, last, new ChangedMeanwhile())
    : ruleIncidents.insert(pointer, new ChangedMeanwhile())
  return { id: incident_id, writes: [...writes, point], transitions: [transition] }
}

const Text = z.string().min(1).max(8_000)
const Instant = z.iso.datetime({ precision: 3 })
const Ids = z.array(id).max(50)

const Affected = z.strictObject({
  node_ids: z
    .array(plainText(128))
    .max(50)
    .default([])
    .describe('Nodes by id. `*` matches any characters within one part of the id, `**` matches anything.'),
  slo_ids: Ids.default([]).describe('Objectives.'),
})

export const IncidentInput = z.strictObject({
  title: displayName(200).describe('A short title.'),
  description: optional(Text).describe('A description for people.'),
  severity: z.enum(INCIDENT_SEVERITIES).describe('The severity.'),
  alert_ids: Ids.default([]).describe('The alerts that belong to it.'),
  affected: Affected.default({ node_ids: [], slo_ids: [] }).describe('What it concerns.'),
  commander_id: optional(id).describe('The person who leads.'),
  personal_data_breach: z
    .boolean()
    .default(false)
    .describe('Personal data was breached: starts the 72 hours of GDPR, article 33.'),
  detected_at: optional(Instant).describe('When it was noticed.'),
  runbook_id: optional(id).describe('The runbook of its incidents.'),
})
export type IncidentInput = z.output<typeof IncidentInput>

export const IncidentChange = z.strictObject({
  status: optional(z.enum(INCIDENT_STATUSES)).describe('The current state.'),
  severity: optional(z.enum(INCIDENT_SEVERITIES)).describe('The severity.'),
  commander_id: optional(id).describe('The person who leads.'),
  root_cause: optional(Text).describe('Why it happened.'),
  notified_at: optional(Instant).describe('When people, or for a breach the authority, were last told of it.'),
  personal_data_breach: optional(z.boolean()).describe(
    'Personal data was breached: starts the 72 hours of GDPR, article 33.',
  ),
  note: optional(Text).describe('A note for people.'),
  link_alert_ids: optional(Ids).describe('Further alerts that belong to it.'),
  follow_up_task_ids: optional(Ids).describe('Tasks that were opened because of it.'),
  runbook_id: optional(id).describe('The runbook of its incidents.'),
  duplicate_of: optional(id).describe('The incident that it repeats.'),
  version: optional(z.int()).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type IncidentChange = z.output<typeof IncidentChange>
