// A check as the API shows it: what it asks, what it has found, and whether that is an open violation.
import * as z from 'zod'
import type { Violation } from '../../ledger/violations/violation.ts'
import { type CheckFacts, SEVERITIES } from '../catalogue/catalogue.ts'
import { CHECK_STATUSES, Finding, noData } from './check.ts'
import type { CheckResult } from './check-result.ts'
import { DAY_STATUSES } from './days.ts'

export const CheckView = z.object({
  id: z.string().describe('The id, which never changes.'),
  title: z.string().describe('A short title.'),
  severity: z.enum(SEVERITIES).describe('The severity.'),
  kind: z
    .enum(['population', 'setting', 'evidence', 'deployment'])
    .describe('What the check looks at: members of a population, a setting, evidence, or the deployment.'),
  every: z.enum(['hour', 'day']).describe('How often the check is carried out by itself.'),
  passes_when: z.string().describe('What must hold for the check to pass.'),
  remedy: z.string().describe('What to do when the check fails.'),
  /** For which controls it speaks, by framework. */
  controls: z.record(z.string(), z.array(z.string())).describe('The controls that the check speaks for, by framework.'),
  ...Finding.shape,
  evaluated_at: z.string().nullable().describe('When the check was last carried out.'),
  /** The status before the last change of it, and when that was. */
  previous_status: z.enum(CHECK_STATUSES).nullable().describe('The previous status.'),
  changed_at: z.string().nullable().describe('When the status of the check last changed.'),
  run_id: z.string().nullable().describe('Id of the run of the checks.'),
  violation: z
    .object({
      id: z.string().describe('The id, which never changes.'),
      opened_at: z.string().describe('When it was opened.'),
      task_id: z.string().nullable().describe('Id of the task.'),
    })
    .nullable()
    .describe('The open violation of the check; null: none.'),
})
export type CheckView = z.output<typeof CheckView>

export const CheckDetail = CheckView.extend({
  /** UTC days, oldest first. */
  days: z
    .array(
      z.object({
        date: z.string().describe('The day, in UTC.'),
        status: z.enum(DAY_STATUSES).describe('The result of the day.'),
      }),
    )
    .describe('The result of each day, in UTC, oldest first.'),
})
export type CheckDetail = z.output<typeof CheckDetail>

type Known = { result: CheckResult | undefined; violation: Violation | undefined }

export function checkView({ version: _, controls, ...check }: CheckFacts, { result, violation }: Known): CheckView {
  const { status, detail, numerator, denominator, failing_ids, failing_count } =
    result ?? noData('The check was not carried out yet.')
  return {
    ...check,
    controls: Object.fromEntries(Object.entries(controls).map(([framework, ids]) => [framework, [...ids]])),
    status,
    detail,
    numerator,
    denominator,
    failing_ids,
    failing_count,
    evaluated_at: result?.evaluated_at ?? null,
    previous_status: result?.previous_status ?? null,
    changed_at: result?.changed_at ?? null,
    run_id: result?.run_id ?? null,
    violation: violation ? { ...violation, task_id: violation.task_id ?? null } : null,
  }
}
