// A framework as the API shows it, enabled or not.
import * as z from 'zod'
import { aboutFramework, GROUPS } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { assess, scopeOf } from './assess.ts'
import { figuresOf } from './posture.ts'
import { FRAMEWORK_STATUSES } from './posture-view.ts'
import { DEFAULTS } from './framework.ts'
import { type FrameworkState, isEnabled } from './state.ts'

export const FrameworkView = z.object({
  id: z.enum(FRAMEWORK_IDS),
  name: z.string(),
  group: z.enum(GROUPS),
  catalogue_version: z.string(),
  enabled: z.boolean(),
  enabled_at: z.string().nullable(),
  status: z.enum(FRAMEWORK_STATUSES),
  scope: z.record(z.string(), z.boolean()),
  owner_user_id: z.string().nullable(),
  evidence_validity_days: z.int(),
  window_days: z.int(),
  controls_met: z.int(),
  controls_total: z.int(),
  score: z.number().nullable(),
  last_run_id: z.string().nullable(),
  last_run_at: z.string().nullable(),
  version: z.int(),
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
