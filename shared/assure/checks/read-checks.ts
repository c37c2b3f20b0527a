import { DAY_MS } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Failure, notFound, type Violation } from '../../base/lib/failure.ts'
import { openViolations, violations } from '../../ledger/violations/violation.ts'
import { CHECKS, SEVERITIES } from '../catalogue/catalogue.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { CHECK_STATUSES } from './check.ts'
import { checkResults, compliancePartition } from './check-result.ts'
import { type CheckDetail, type CheckView, checkView } from './check-view.ts'
import { daysOf } from './days.ts'

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
