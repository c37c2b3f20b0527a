// Whether checks held on each day of a window: what an auditor of a period asks, and what today's status cannot answer.
import { DAY_MS } from '../../base/lib/durations.ts'
import type { CheckStatus } from '../checks/check.ts'
import type { Window } from '../exports/window.ts'
import type { CheckReport, FailingStretch } from '../report/report-input.ts'

export type DayStatus = CheckStatus | 'no_run'
/** `date` is `yyyy-mm-dd`. */
export type Day = { date: string; status: DayStatus }

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
