// A framework as the API shows it, enabled or not, and how the posture of a tenant is read.
import * as z from 'zod'
import { aboutFramework, GROUPS } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { assess, scopeOf } from './assess.ts'
import { figuresOf, frameworkPosture, overallScore, trendDays } from './posture.ts'
import { FRAMEWORK_STATUSES, NOTICE, type Posture } from './control-view.ts'
import { DEFAULTS } from './framework.ts'
import { type FrameworkState, isEnabled, type Point, points, pointsPartition, readStates } from './state.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'

export const FrameworkView = z.object({
  id: z.enum(FRAMEWORK_IDS).describe('The id of the framework.'),
  name: z.string().describe('A name for people.'),
  group: z
    .enum(GROUPS)
    .describe('`core`: one of the frameworks of security and privacy; `ai`: one about artificial intelligence.'),
  catalogue_version: z.string().describe('Version of the catalogue of controls.'),
  enabled: z.boolean().describe('Whether it is in force.'),
  enabled_at: z.string().nullable().describe('When it was enabled; null while it is not.'),
  status: z.enum(FRAMEWORK_STATUSES).describe('The current state.'),
  scope: z.record(z.string(), z.boolean()).describe('Which parts are in scope, by their tags.'),
  owner_user_id: z.string().nullable().describe('Who looks after it; null: nobody.'),
  evidence_validity_days: z.int().describe('How long accepted evidence holds that names no end of its own.'),
  window_days: z.int().describe('How many days back checks of events look.'),
  controls_met: z.int().describe('The number of controls that are met.'),
  controls_total: z.int().describe('The number of controls that were checked.'),
  score: z
    .number()
    .nullable()
    .describe('How far its controls are met, weighed by severity, 0 to 100; null while it is not enabled.'),
  last_run_id: z.string().nullable().describe('Id of the last full run of the checks.'),
  last_run_at: z.string().nullable().describe('When the last full run of the checks ended.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})
export type FrameworkView = z.output<typeof FrameworkView>

export function frameworkView(state: FrameworkState): FrameworkView {
  const { framework_id: id, setting, standing } = state
  const { name, group, version } = aboutFramework(id)
  const { evidence_validity_days, window_days, catalogue_version = version } = { ...DEFAULTS, ...setting }
  const assessed = assess(state)
  const none = {
    status: 'not_enabled' as const,
    controls_met: 0,
    controls_total: assessed.filter(({ basis }) => basis.applicable).length,
    score: null,
  }
  return {
    id,
    name,
    group,
    catalogue_version,
    enabled: isEnabled(state),
    enabled_at: (isEnabled(state) && setting?.enabled_at) || null,
    scope: scopeOf(state),
    owner_user_id: setting?.owner_user_id ?? null,
    evidence_validity_days,
    window_days,
    ...(isEnabled(state) ? figuresOf(state, assessed) : none),
    last_run_id: standing?.last_run?.id ?? null,
    last_run_at: standing?.last_run?.ended_at ?? null,
    version: (setting?._v ?? 0) + 1,
  }
}

/** Of the enabled frameworks, the core ones first. */
export async function readPosture(ctx: Context): Promise<Posture> {
  const now = ctx.now()
  const states = (await readStates(ctx, now)).filter(isEnabled)
  const frameworks = await Promise.all(states.map(async (state) => frameworkPosture(state, await pointsOf(ctx, state))))
  return { overall_score: overallScore(frameworks), frameworks, computed_at: iso(now), notice: NOTICE }
}

/** The overall score; null while no framework is enabled, which has none. */
export async function postureScore(ctx: Context): Promise<number | null> {
  const { frameworks, overall_score } = await readPosture(ctx)
  return frameworks.length === 0 ? null : overall_score
}

/** Of the last 30 days. */
export function pointsOf({ table }: Context, state: FrameworkState): Promise<Point[]> {
  const days = trendDays(state.now)
  return table.query(points, { pk: pointsPartition(state), from: days[0], to: days.at(-1) })
}
