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
  id: z.string(),
  /** The id in paths. */
  key: z.string(),
  title: z.string(),
  family: z.string(),
  type: z.enum(CONTROL_TYPES),
  severity: z.enum(SEVERITIES),
  status: z.enum(CONTROL_STATUSES),
  /** One sentence. */
  status_reason: z.string(),
  in_scope: z.boolean(),
  checks: z.array(
    z.object({
      check_id: z.string(),
      title: z.string(),
      status: z.enum(CHECK_STATUSES),
      evaluated_at: z.string().nullable(),
      detail: z.string(),
      numerator: z.int(),
      denominator: z.int(),
      /** At most 20 ids of what fails. */
      sample: z.array(z.string()),
    }),
  ),
  evidence: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(SUBMISSION_KINDS),
      title: z.string(),
      status: z.string(),
      collected_at: z.string(),
      valid_until: z.string().nullable(),
    }),
  ),
  /** Kinds of evidence that usually serve its family. */
  wanted_evidence: z.array(z.string()),
  applicability: z.object({
    applicable: z.boolean(),
    justification: z.string().nullable(),
    decided_by: z.string().nullable(),
    decided_at: z.string().nullable(),
  }),
  owner_user_id: z.string().nullable(),
  note: z.string().nullable(),
  /** By how much the framework's score rises through the best next action for it. */
  gain: z.number(),
  last_changed_at: z.string().nullable(),
  version: z.int(),
})
export type ControlView = z.output<typeof ControlView>

export const ControlDetail = ControlView.extend({
  /** The newest 100 moves, newest first. */
  history: z.array(
    z.object({ at: z.string(), from: z.enum(CONTROL_STATUSES), to: z.enum(CONTROL_STATUSES), reason: z.string() }),
  ),
})
export type ControlDetail = z.output<typeof ControlDetail>
