// What the checks of a framework found last, and on each day of the window. An auditor of a period asks whether checks held on
// each day, which today's status cannot answer.
import { type CheckFacts, CHECKS } from '../catalogue/catalogue.ts'
import { controlKey, type FrameworkId } from '../catalogue/framework-ids.ts'
import type { CheckResult, DayStatus, StatusesOnDay } from '../checks/check-result.ts'
import type { CheckReport, FailingStretch } from '../report/report-input.ts'
import { inCell } from './archive.ts'
import { DAY_MS } from '../../base/lib/clock.ts'
import type { Window } from '../exports/window.ts'

/** A check that speaks for the framework. `result`: of its last run, where it has run. */
export type CheckLine = { check: CheckFacts; result: CheckResult | undefined; days: Day[] }

type Found = { results: ReadonlyMap<string, CheckResult>; days: readonly StatusesOnDay[] }

export const checkLines = (framework: FrameworkId, { results, days }: Found): CheckLine[] =>
  CHECKS.filter(({ controls }) => (controls[framework] ?? []).length > 0).map((check) => ({
    check,
    result: results.get(check.id),
    days: days.map(({ date, statusOf }) => ({ date, status: statusOf(check.id) })),
  }))

export const RESULT_COLUMNS = [
  'check_id',
  'version',
  'title',
  'severity',
  'status',
  'detail',
  'numerator',
  'denominator',
  'failing_ids',
  'failing_count',
  'evaluated_at',
  'control_ids',
  'passes_when',
] as const

const NOT_EVALUATED = { status: 'no_data', detail: 'Not evaluated yet.', failing_ids: [], failing_count: 0 } as const

/** `failing_ids` and `control_ids` are lists. */
export function resultOf(framework: FrameworkId, { check, result }: CheckLine) {
  const { status, detail, failing_ids, failing_count } = result ?? NOT_EVALUATED
  return {
    check_id: check.id,
    version: check.version,
    title: check.title,
    severity: check.severity,
    status,
    detail,
    numerator: result?.numerator ?? null,
    denominator: result?.denominator ?? null,
    failing_ids,
    failing_count,
    evaluated_at: result?.evaluated_at ?? null,
    control_ids: check.controls[framework] ?? [],
    passes_when: check.passes_when,
  }
}

/** Ids of controls may hold spaces, so rows show them as paths do. */
export function resultRow(framework: FrameworkId, line: CheckLine) {
  const { failing_ids, control_ids, ...rest } = resultOf(framework, line)
  return { ...rest, failing_ids: inCell(failing_ids), control_ids: inCell(control_ids.map(controlKey)) }
}

export const DAY_COLUMNS = ['check_id', 'date', 'status'] as const
export const dayRows = ({ check, days }: CheckLine) => days.map((day) => ({ check_id: check.id, ...day }))

export const PERIOD_COLUMNS = [
  'check_id',
  'days_passed',
  'days_failed',
  'days_without_data',
  'days_without_run',
  'days_not_applicable',
  'failing_stretches',
] as const

/** Stretches are intervals of ISO 8601: first and last day, with a slash between them. */
export function periodRow({ check, days }: CheckLine) {
  const period = periodOf(days)
  return {
    check_id: check.id,
    days_passed: period.passed,
    days_failed: period.failed,
    days_without_data: period.without_data,
    days_without_run: period.without_run,
    days_not_applicable: period.not_applicable,
    failing_stretches: inCell(failingStretches(days).map(({ first_day, last_day }) => `${first_day}/${last_day}`)),
  }
}

export function checkReport({ check, result, days }: CheckLine): CheckReport {
  const { status, detail, failing_ids, failing_count } = result ?? NOT_EVALUATED
  return {
    check_id: check.id,
    title: check.title,
    severity: check.severity,
    passes_when: check.passes_when,
    status,
    detail,
    failing_ids: [...failing_ids],
    failing_count,
    days: periodOf(days),
    failing: failingStretches(days),
  }
}

/** `date` is `yyyy-mm-dd`. */
type Day = { date: string; status: DayStatus }

/** The UTC days that a window touches. */
export function daysOf({ start_at, end_at }: Window): string[] {
  const first = Math.floor(Date.parse(start_at) / DAY_MS)
  const last = Math.ceil(Date.parse(end_at) / DAY_MS)
  return Array.from({ length: last - first }, (_, index) =>
    new Date((first + index) * DAY_MS).toISOString().slice(0, 10),
  )
}

export type Period = CheckReport['days'] & { not_applicable: number }

/** How many days passed, failed, and so on. Together they are all days. */
export function periodOf(days: readonly Day[]): Period {
  const count = (...some: DayStatus[]) => days.filter(({ status }) => some.includes(status)).length
  return {
    passed: count('pass'),
    failed: count('fail'),
    without_data: count('no_data', 'error'),
    without_run: count('no_run'),
    not_applicable: count('not_applicable'),
  }
}

/**
 * From a failing day to the last failing one before the check holds again. A day without a result does not end a stretch, because
 * it does not show that the check held.
 */
export function failingStretches(days: readonly Day[]): FailingStretch[] {
  const stretches: FailingStretch[] = []
  let open: FailingStretch | undefined
  for (const { date, status } of days) {
    if (status === 'fail' && open) open.last_day = date
    else if (status === 'fail') stretches.push((open = { first_day: date, last_day: date }))
    else if (status === 'pass' || status === 'not_applicable') open = undefined
  }
  return stretches
}
