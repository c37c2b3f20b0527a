// How a tenant stands in its enabled frameworks, computed when it is read.
import * as z from 'zod'
import { GROUPS } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'

/** Stands in every posture, list of controls and export. */
export const NOTICE = 'These statuses cover the use of this service, not the whole organisation; an auditor decides.'

export const FRAMEWORK_STATUSES = ['not_enabled', 'in_progress', 'compliant', 'non_compliant'] as const
export type FrameworkStatus = (typeof FRAMEWORK_STATUSES)[number]

export const NextAction = z.object({
  action: z.enum(['fix_check', 'submit_evidence', 'renew_evidence']).describe('What to do.'),
  check_id: z.string().optional().describe('The check that fails.'),
  control_ids: z.array(z.string()).describe('The controls whose status rises.'),
  kinds: z.array(z.string()).optional().describe('Kinds of evidence that usually serve.'),
  gain: z.number().describe('By how much the score of the framework rises.'),
  text: z.string().describe('What to do, for people.'),
})
export type NextAction = z.output<typeof NextAction>

export const FrameworkPosture = z.object({
  id: z.enum(FRAMEWORK_IDS).describe('The id of the framework.'),
  name: z.string().describe('A name for people.'),
  group: z
    .enum(GROUPS)
    .describe('`core`: one of the frameworks of security and privacy; `ai`: one about artificial intelligence.'),
  status: z.enum(FRAMEWORK_STATUSES).describe('The current state.'),
  score: z
    .number()
    .describe('How far its controls are met, weighed by severity, 0 to 100; null while it is not enabled.'),
  controls_met: z.int().describe('The number of controls that are met.'),
  /** In scope and applicable. */
  controls_total: z.int().describe('The number of controls that were checked.'),
  controls_partially_met: z.int().describe('How many controls are partially met.'),
  controls_not_met: z.int().describe('How many controls are not met.'),
  controls_not_assessed: z.int().describe('How many controls are not assessed.'),
  controls_not_applicable: z.int().describe('How many controls in scope are left out by an accepted justification.'),
  controls_out_of_scope: z.int().describe('How many controls are out of scope.'),
  families: z
    .array(
      z.object({
        id: z.string().describe('The id, which never changes.'),
        title: z.string().describe('A short title.'),
        met: z.int().describe('How many are met.'),
        partially_met: z.int().describe('How many are partially met.'),
        not_met: z.int().describe('How many are not met.'),
        not_assessed: z.int().describe('How many are not assessed.'),
      }),
    )
    .describe('How the controls of each family stand. What does not apply is not counted.'),
  failing_checks: z.array(z.string()).describe('Ids of the checks that fail.'),
  checks_without_data: z.int().describe('How many checks found no data, or could not be carried out.'),
  evidence_expiring_30d: z.int().describe('How many pieces of evidence expire within 30 days.'),
  last_run_at: z.string().nullable().describe('When the last full run of the checks ended.'),
  /** The last full run ended more than 26 hours ago. */
  stale: z.boolean().describe('Whether a newer pass is overdue.'),
  trend: z
    .array(
      z.object({
        date: z.string().describe('The day, in UTC.'),
        score: z.number().nullable().describe('The score after the last full run of the day; null without one.'),
      }),
    )
    .describe('The score of each of the last 30 days.'),
  next_actions: z.array(NextAction).describe('What raises the score most, the largest gain first.'),
})
export type FrameworkPosture = z.output<typeof FrameworkPosture>

export const Posture = z.object({
  overall_score: z
    .number()
    .describe('The mean of the scores of the core frameworks, 0 to 100; of the others where none of those is enabled.'),
  frameworks: z.array(FrameworkPosture).describe('The enabled frameworks, the core ones first.'),
  computed_at: z.string().describe('When it was computed.'),
  notice: z.string().describe('What the statuses do not say.'),
})
export type Posture = z.output<typeof Posture>
