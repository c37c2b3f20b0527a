// The list of controls, which for the standards of ISO is the statement of applicability, and the status of the framework above
// it.
import type { ControlView } from '../frameworks/control-view.ts'
import type { CheckStatus } from '../checks/check.ts'
import type { Window } from '../exports/window.ts'
import { isWithin } from '../populations/population.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import { daysOf } from '../checks/check-result.ts'
import { assess, scopeOf } from '../frameworks/assess.ts'
import { controlViews } from '../frameworks/control-views.ts'
import { frameworkPosture } from '../frameworks/posture.ts'
import { pointsOf } from '../frameworks/framework-view.ts'
import { isEnabled, readState } from '../frameworks/state.ts'
import { checkLines } from './check-rows.ts'

export const CONTROL_COLUMNS = [
  'framework',
  'control_id',
  'control_key',
  'title',
  'family',
  'type',
  'in_scope',
  'applicable',
  'justification',
  'decided_by',
  'status',
  'reason',
  'checks_passed',
  'checks_failed',
  'checks_without_data',
  'evidence_count',
  'evidence_in_window',
  'owner',
  'last_changed_at',
] as const

/**
 * Lists in other files name a control by its key, which holds no spaces. `evidence_in_window` counts what was collected in
 * the window.
 */
export function controlRow(framework: string, control: ControlView, window: Window) {
  const { applicability, checks, evidence } = control
  const count = (...statuses: CheckStatus[]) => checks.filter(({ status }) => statuses.includes(status)).length
  return {
    framework,
    control_id: control.id,
    control_key: control.key,
    title: control.title,
    family: control.family,
    type: control.type,
    in_scope: control.in_scope,
    applicable: applicability.applicable,
    justification: applicability.justification,
    decided_by: applicability.decided_by,
    status: control.status,
    reason: control.status_reason,
    checks_passed: count('pass'),
    checks_failed: count('fail'),
    checks_without_data: count('no_data', 'error'),
    evidence_count: evidence.length,
    evidence_in_window: evidence.filter(({ collected_at }) => isWithin(collected_at, window)).length,
    owner: control.owner_user_id,
    last_changed_at: control.last_changed_at,
  }
}

/**
 * The status of a framework, for an archive or a document of its own. Throws 404 for an unknown framework, 409 for one that
 * is not enabled.
 */
export async function frameworkStatus(ctx: Context, id: string, window: Window) {
  const state = await readState(ctx, id)
  if (!isEnabled(state)) throw notEnabled()
  const [tenant, points, days] = await Promise.all([
    tenantOf(ctx.table, ctx.space.tenant_id),
    pointsOf(ctx, state),
    daysOf(ctx, Date.parse(window.start_at), Date.parse(window.end_at) - 1),
  ])
  const assessed = assess(state)
  const { name, version } = aboutFramework(state.framework_id)
  return {
    tenant: { id: tenant.id, name: tenant.name },
    mode: ctx.space.mode,
    framework: { id: state.framework_id, name, version },
    scope: scopeOf(state),
    last_run: state.standing?.last_run,
    controls: controlViews(state, assessed),
    posture: frameworkPosture(state, points, assessed),
    lines: checkLines(state.framework_id, { results: state.results, days }),
  }
}
export type FrameworkStatus = Awaited<ReturnType<typeof frameworkStatus>>

export const notEnabled = () => conflict('The framework is not enabled. Enable it, then request the export again.')
