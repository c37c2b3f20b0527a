// The checks as the API lists and shows them: what each asks, what it has found, and whether that is an open violation.
import { DAY_MS } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Failure, notFound, type Violation } from '../../base/lib/failure.ts'
import { openViolations, type Violation as OpenViolation, violations } from '../../ledger/violations/violation.ts'
import { type CheckFacts, CHECKS, SEVERITIES } from '../catalogue/catalogue.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { CHECK_STATUSES, Finding, noData } from './check.ts'
import { type CheckResult, checkResults, compliancePartition, DAY_STATUSES, daysOf } from './check-result.ts'

export const CheckFilters = z.object({
  status: z.enum(CHECK_STATUSES).optional().describe('Only those in this state.'),
  severity: z.enum(SEVERITIES).optional().describe('Only of this severity.'),
  framework_id: z.enum(FRAMEWORK_IDS).optional().describe('Only for this framework.'),
})
type CheckFilters = z.output<typeof CheckFilters>

/** All that match, in the order of the catalogue. */
export async function readChecks(ctx: Context, { status, severity, framework_id }: CheckFilters): Promise<CheckView[]> {
  const [found, open] = await Promise.all([
    ctx.table.query(checkResults, { pk: compliancePartition(ctx.space), prefix: 'CHK#' }),
    openViolations(ctx),
  ])
  const results = new Map(found.map((one) => [one.check_id, one]))
  const violationOf = new Map(open.map((one) => [one.check_id, one]))
  return CHECKS.map((check) =>
    checkView(check, { result: results.get(check.id), violation: violationOf.get(check.id) }),
  )
    .filter((view) => status === undefined || view.status === status)
    .filter((view) => severity === undefined || view.severity === severity)
    .filter((view) => framework_id === undefined || Object.hasOwn(view.controls, framework_id))
}

/** ISO 8601; `end_at` is exclusive. */
type Window = { start_at: string; end_at: string }

const DAYS_MAX = 366
const TOO_LONG: Violation = {
  loc: ['query', 'start_at'],
  msg: `must be at most ${DAYS_MAX} days before end_at`,
  type: 'value_error',
}

/** With the days of a window. Throws 404 for an id that the catalogue does not have. */
export async function readCheck(ctx: Context, check_id: string, window: Window): Promise<CheckDetail> {
  const check = CHECKS.find(({ id }) => id === check_id)
  if (!check) throw notFound('check')
  const [from, to] = [Date.parse(window.start_at), Math.min(Date.parse(window.end_at) - 1, ctx.now())]
  if (to - from > DAYS_MAX * DAY_MS) throw new Failure('invalid', [TOO_LONG])
  const [result, violation, days] = await Promise.all([
    ctx.table.get(checkResults, { ...ctx.space, check_id }),
    ctx.table.get(violations, { ...ctx.space, check_id }),
    daysOf(ctx, from, to),
  ])
  return {
    ...checkView(check, { result, violation }),
    days: days.map(({ date, statusOf }) => ({ date, status: statusOf(check_id) })),
  }
}

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

type Known = { result: CheckResult | undefined; violation: OpenViolation | undefined }

function checkView({ version: _, controls, ...check }: CheckFacts, { result, violation }: Known): CheckView {
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
