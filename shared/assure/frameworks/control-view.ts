// The shapes that the API and exports show: a control with its status, checks and evidence, and the posture of a framework and of
// the tenant.
import * as z from 'zod'
import { CHECKS, SEVERITIES } from '../catalogue/catalogue.ts'
import { CHECK_STATUSES } from '../checks/check.ts'
import { SUBMISSION_KINDS } from '../submissions/submission.ts'
import { GROUPS } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'

export const CONTROL_STATUSES = ['met', 'partially_met', 'not_met', 'not_assessed', 'not_applicable'] as const
export type ControlStatus = (typeof CONTROL_STATUSES)[number]

/** `automatic`: the checks can speak for it alone. `manual`: no check speaks for it. */
export const CONTROL_TYPES = ['automatic', 'hybrid', 'manual'] as const
export type ControlType = (typeof CONTROL_TYPES)[number]

export const ControlView = z.object({
  id: z.string().describe('The id of the control in its framework.'),
  key: z.string().describe('The id of the control in paths.'),
  title: z.string().describe('A short title.'),
  family: z.string().describe('Id of its family.'),
  type: z
    .enum(CONTROL_TYPES)
    .describe(
      '`automatic`: the checks can speak for it alone. `hybrid`: it also needs evidence. `manual`: only evidence speaks for it.',
    ),
  severity: z.enum(SEVERITIES).describe('The highest severity of its checks.'),
  status: z.enum(CONTROL_STATUSES).describe('The current state.'),
  /** One sentence. */
  status_reason: z.string().describe('Why it has this status, for people.'),
  in_scope: z.boolean().describe('Whether the scope of the framework contains it.'),
  checks: z
    .array(
      z.object({
        check_id: z.string().describe('Id of the check.'),
        title: z.string().describe('What holds when the check passes.'),
        status: z.enum(CHECK_STATUSES).describe('The current state.'),
        evaluated_at: z.string().nullable().describe('When the check was last carried out.'),
        detail: z.string().describe('What was looked at and what was found.'),
        numerator: z.int().describe('How many of what was looked at hold.'),
        denominator: z.int().describe('How many were looked at.'),
        sample: z.array(z.string()).describe('At most 20 ids of what fails.'),
      }),
    )
    .describe('What each check that speaks for it has found.'),
  evidence: z
    .array(
      z.object({
        id: z.string().describe('The id, which never changes.'),
        kind: z.enum(SUBMISSION_KINDS).describe('What kind of evidence it is.'),
        title: z.string().describe('A short title.'),
        status: z.string().describe('The current state.'),
        collected_at: z.string().describe('When the evidence was collected.'),
        valid_until: z.string().nullable().describe('When the evidence expires.'),
      }),
    )
    .describe('Accepted evidence, the newest first.'),
  wanted_evidence: z.array(z.string()).describe('Kinds of evidence that usually serve its family.'),
  applicability: z
    .object({
      applicable: z.boolean().describe('False when it is out of scope or left out by an accepted justification.'),
      justification: z.string().nullable().describe('Why it does not apply.'),
      decided_by: z.string().nullable().describe('Id of whoever accepted the justification.'),
      decided_at: z.string().nullable().describe('When it was decided.'),
    })
    .describe('Whether the control applies, and who decided that it does not.'),
  owner_user_id: z.string().nullable().describe('Who looks after it; null: nobody.'),
  note: z.string().nullable().describe('A note of the tenant; null: none.'),
  /** By how much the framework's score rises through the best next action for it. */
  gain: z.number().describe('By how much the score of the framework rises.'),
  last_changed_at: z.string().nullable().describe('When its status was last seen to change.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})
export type ControlView = z.output<typeof ControlView>

export const ControlDetail = ControlView.extend({
  /** The newest 100 moves, newest first. */
  history: z
    .array(
      z.object({
        at: z.string().describe('When it happened.'),
        from: z.enum(CONTROL_STATUSES).describe('The status before.'),
        to: z.enum(CONTROL_STATUSES).describe('The status after.'),
        reason: z.string().describe('The reason, for people.'),
      }),
    )
    .describe('The newest 100 moves of its status, the newest first.'),
})
export type ControlDetail = z.output<typeof ControlDetail>

export const ControlFilters = z.object({
  status: z.enum(CONTROL_STATUSES).optional().describe('Only those in this state.'),
  type: z.enum(CONTROL_TYPES).optional().describe('Only of this type.'),
  family: z.string().max(64).optional().describe('Only of this family.'),
  check: z
    .enum(CHECKS.map(({ id }) => id))
    .optional()
    .describe('Only controls that this check speaks for.'),
  owner: z.string().max(128).optional().describe('Only what this person looks after.'),
  q: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only controls whose id or title contains this text; case is ignored.'),
  order: z
    .enum(['id', 'gain'])
    .optional()
    .describe('In the order of the framework (`id`), or what raises the score most first.'),
})
export type ControlFilters = z.output<typeof ControlFilters>

/** In the order of the catalogue, or what raises the score most first. */
export function filtered(views: readonly ControlView[], { order, ...filters }: ControlFilters): ControlView[] {
  const found = views.filter((view) => matches(view, filters))
  return order === 'gain' ? found.toSorted(byGain) : found
}

function matches(view: ControlView, { status, type, family, check, owner, q }: ControlFilters): boolean {
  const wanted = [status, type, family, owner]
  const actual = [view.status, view.type, view.family, view.owner_user_id]
  return (
    wanted.every((value, index) => value === undefined || value === actual[index]) &&
    (check === undefined || view.checks.some(({ check_id }) => check_id === check)) &&
    (q === undefined || `${view.id} ${view.title}`.toLowerCase().includes(q.toLowerCase()))
  )
}

const byGain = (a: ControlView, b: ControlView): number =>
  b.gain - a.gain || SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)

/** Part of every posture, list of controls and export. */
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
