// The list of controls. For the standards of ISO it is the statement of applicability.
import type { ControlView } from '../frameworks/control-view.ts'
import type { CheckStatus } from '../checks/check.ts'
import type { Window } from '../exports/window.ts'
import { isWithin } from '../populations/population.ts'

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

/** Lists in other files name a control by its key, which holds no spaces. `evidence_in_window` counts what was collected in the window. */
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
