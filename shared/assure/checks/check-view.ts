// A check as the API shows it: what it asks, what it has found, and whether that is an open violation.
import * as z from 'zod'
import type { Violation } from '../../ledger/violations/violation.ts'
import { type CheckFacts, SEVERITIES } from '../catalogue/catalogue.ts'
import { CHECK_STATUSES, Finding, noData } from './check.ts'
import type { CheckResult } from './check-result.ts'
import { DAY_STATUSES } from './days.ts'

export const CheckView = z.object({
  id: z.string(),
  title: z.string(),
  severity: z.enum(SEVERITIES),
  kind: z.enum(['population', 'setting', 'evidence', 'deployment']),
  /** How often it is carried out by itself. */
  every: z.enum(['hour', 'day']),
  passes_when: z.string(),
  remedy: z.string(),
  /** For which controls it speaks, by framework. */
  controls: z.record(z.string(), z.array(z.string())),
  ...Finding.shape,
  evaluated_at: z.string().nullable(),
  /** The status before the last change of it, and when that was. */
  previous_status: z.enum(CHECK_STATUSES).nullable(),
  changed_at: z.string().nullable(),
  run_id: z.string().nullable(),
  violation: z.object({ id: z.string(), opened_at: z.string(), task_id: z.string().nullable() }).nullable(),
})
export type CheckView = z.output<typeof CheckView>

export const CheckDetail = CheckView.extend({
  /** UTC days, oldest first. */
  days: z.array(z.object({ date: z.string(), status: z.enum(DAY_STATUSES) })),
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
