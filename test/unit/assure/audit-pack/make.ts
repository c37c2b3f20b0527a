// Values for tests of the audit pack.
import { CHECKS, checksOf } from '../../../../shared/assure/catalogue/catalogue.ts'
import { controlsOf } from '../../../../shared/assure/catalogue/controls.ts'
import type { FrameworkId } from '../../../../shared/assure/catalogue/framework-ids.ts'
import type { CheckResult } from '../../../../shared/assure/checks/check-result.ts'
import type { ControlView } from '../../../../shared/assure/frameworks/control-view.ts'

export const AT = '2026-11-20T10:00:00.000Z'
export const WINDOW = { start_at: '2026-08-22T00:00:00.000Z', end_at: AT }

export function controlOf(framework: FrameworkId, id: string, over: Partial<ControlView> = {}): ControlView {
  const control = controlsOf(framework).find((one) => one.id === id)
  if (!control) throw new Error(`no control ${id}`)
  return {
    ...control,
    key: id.toLowerCase(),
    type: 'hybrid',
    severity: 'high',
    status: 'met',
    status_reason: 'Met: all checks pass.',
    in_scope: true,
    checks: checksOf(framework, id).map((check) => ({
      check_id: check.id,
      title: check.title,
      status: 'pass' as const,
      evaluated_at: AT,
      detail: 'All hold.',
      numerator: 3,
      denominator: 3,
      sample: [],
    })),
    evidence: [],
    wanted_evidence: [],
    applicability: { applicable: true, justification: null, decided_by: null, decided_at: null },
    owner_user_id: null,
    note: null,
    gain: 0,
    last_changed_at: null,
    version: 0,
    ...over,
  }
}

export const resultOf = (check_id: string, over: Partial<CheckResult> = {}): CheckResult => ({
  tenant_id: 'ten_01',
  mode: 'live',
  check_id,
  version: 1,
  status: 'pass',
  detail: 'All hold.',
  numerator: 3,
  denominator: 3,
  failing_ids: [],
  failing_count: 0,
  run_id: 'run_01',
  evaluated_at: AT,
  changed_at: AT,
  ...over,
})

export const allResults = (framework: FrameworkId): CheckResult[] =>
  CHECKS.filter(({ controls }) => (controls[framework] ?? []).length > 0).map(({ id }) => resultOf(id))
