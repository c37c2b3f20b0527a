// What a request may say of an incident.
import * as z from 'zod'
import { displayName, id, optional, plainText } from '../../base/wire/fields.ts'
import { INCIDENT_SEVERITIES, INCIDENT_STATUSES } from './incident.ts'

const Text = z.string().min(1).max(8_000)
const Instant = z.iso.datetime({ precision: 3 })
const Ids = z.array(id).max(50)

const Affected = z.strictObject({ node_ids: z.array(plainText(128)).max(50).default([]), slo_ids: Ids.default([]) })

export const IncidentInput = z.strictObject({
  title: displayName(200),
  description: optional(Text),
  severity: z.enum(INCIDENT_SEVERITIES),
  alert_ids: Ids.default([]),
  affected: Affected.default({ node_ids: [], slo_ids: [] }),
  commander_id: optional(id),
  personal_data_breach: z.boolean().default(false),
  detected_at: optional(Instant),
  runbook_id: optional(id),
})
export type IncidentInput = z.output<typeof IncidentInput>

export const IncidentChange = z.strictObject({
  status: optional(z.enum(INCIDENT_STATUSES)),
  severity: optional(z.enum(INCIDENT_SEVERITIES)),
  commander_id: optional(id),
  root_cause: optional(Text),
  notified_at: optional(Instant),
  personal_data_breach: optional(z.boolean()),
  note: optional(Text),
  link_alert_ids: optional(Ids),
  follow_up_task_ids: optional(Ids),
  runbook_id: optional(id),
  duplicate_of: optional(id),
  version: optional(z.int()),
})
export type IncidentChange = z.output<typeof IncidentChange>
