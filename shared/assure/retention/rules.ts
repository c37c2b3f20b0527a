// When the payload of an execution may go, and how the days that count change.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { daysInEffect, inGrace, type RetentionStatement } from '../../base/tenant/retention.ts'
import { RETENTION_DAYS_MAX } from '../../base/tenant/tenant.ts'
import { hasSealed } from '../../govern/executions/sealed/remove.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { isUnderWay } from '../../govern/executions/states.ts'

export const GRACE_MS = 30 * DAY_MS

/**
 * From when (ms) on the payload may be removed; undefined when nothing of it is left. What has not ended is looked at a day later. An
 * unknown outcome has ended: it can be reported for a week, which is over long before.
 */
export function removableAt(execution: Execution, days: number, now: number): number | undefined {
  if (!hasSealed(execution)) return undefined
  const { id, status, lease_until, undo, undo_until, artifacts } = execution
  const isUndone = undo?.state === 'running' || undo?.state === 'held'
  if (isUnderWay(status) || lease_until !== undefined || isUndone) return now + DAY_MS
  const times = [...artifacts.map(({ at }) => at), ...(undo_until === undefined ? [] : [undo_until])].map(Date.parse)
  return Math.max(timeOfId(id), ...times) + days * DAY_MS
}

/**
 * What is stated when plan or setting give these days. `was`: what was stated and is proven. Fewer days than are kept now begin after
 * a grace; more days than that end a grace. Without proof of a former statement the longest time of all is taken to be kept now.
 */
export function nextStatement(was: RetentionStatement | undefined, days: number, now: number): RetentionStatement {
  const kept = was ? daysInEffect(was, now) : RETENTION_DAYS_MAX
  if (days >= kept) return { days }
  if (was?.grace && inGrace(was, now) && days >= was.days) return { days, grace: was.grace }
  return { days, grace: { days: kept, until: iso(now + GRACE_MS) } }
}
