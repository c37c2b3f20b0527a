// What a request may say of an incident.
import * as z from 'zod'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'
import { INCIDENT_SEVERITIES, INCIDENT_STATUSES } from './incident.ts'

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
