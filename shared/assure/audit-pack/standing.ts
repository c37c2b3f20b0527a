// How a framework stands, for an archive or a document of its own.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import { daysOf } from '../checks/days.ts'
import type { Window } from '../exports/window.ts'
import { assess, scopeOf } from '../frameworks/assess.ts'
import { controlViews } from '../frameworks/control-views.ts'
import { frameworkPosture } from '../frameworks/posture.ts'
import { pointsOf } from '../frameworks/read-posture.ts'
import { isEnabled, readState } from '../frameworks/state.ts'
import { checkLines } from './check-rows.ts'

/** Throws 404 for an unknown framework, 409 for one that is not enabled. */
export async function frameworkStanding(ctx: Context, id: string, window: Window) {
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
export type FrameworkStanding = Awaited<ReturnType<typeof frameworkStanding>>

export const notEnabled = () => conflict('The framework is not enabled. Enable it, then request the export again.')
