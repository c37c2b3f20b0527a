// How a tenant stands in its enabled frameworks, computed when it is read.
import * as z from 'zod'
import { GROUPS } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'

/** Stands in every posture, list of controls and export. */
export const NOTICE = 'These statuses cover the use of this service, not the whole organisation; an auditor decides.'

export const FRAMEWORK_STATUSES = ['not_enabled', 'in_progress', 'compliant', 'non_compliant'] as const
export type FrameworkStatus = (typeof FRAMEWORK_STATUSES)[number]

export const NextAction = z.object({
  action: z.enum(['fix_check', 'submit_evidence', 'renew_evidence']),
  check_id: z.string().optional(),
  control_ids: z.array(z.string()),
  kinds: z.array(z.string()).optional(),
  gain: z.number(),
  text: z.string(),
})
export type NextAction = z.output<typeof NextAction>

export const FrameworkPosture = z.object({
  id: z.enum(FRAMEWORK_IDS),
  name: z.string(),
  group: z.enum(GROUPS),
  status: z.enum(FRAMEWORK_STATUSES),
  score: z.number(),
  controls_met: z.int(),
  /** In scope and applicable. */
  controls_total: z.int(),
  controls_partially_met: z.int(),
  controls_not_met: z.int(),
  controls_not_assessed: z.int(),
  controls_not_applicable: z.int(),
  controls_out_of_scope: z.int(),
  families: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      met: z.int(),
      partially_met: z.int(),
      not_met: z.int(),
      not_assessed: z.int(),
    }),
  ),
  failing_checks: z.array(z.string()),
  checks_without_data: z.int(),
  evidence_expiring_30d: z.int(),
  last_run_at: z.string().nullable(),
  /** The last full run ended more than 26 hours ago. */
  stale: z.boolean(),
  trend: z.array(z.object({ date: z.string(), score: z.number().nullable() })),
  next_actions: z.array(NextAction),
})
export type FrameworkPosture = z.output<typeof FrameworkPosture>

export const Posture = z.object({
  /** The mean of the core frameworks; of the others where none of those is enabled. */
  overall_score: z.number(),
  frameworks: z.array(FrameworkPosture),
  computed_at: z.string(),
  notice: z.string(),
})
export type Posture = z.output<typeof Posture>
