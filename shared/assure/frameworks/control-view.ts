// A control as the API and exports show it: its status, the checks and the evidence behind it.
import * as z from 'zod'
import { SEVERITIES } from '../catalogue/catalogue.ts'
import { CHECK_STATUSES } from '../checks/check.ts'
import { SUBMISSION_KINDS } from '../submissions/submission.ts'

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
