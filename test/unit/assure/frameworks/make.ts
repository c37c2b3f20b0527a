// The state of a framework as a test describes it: what each check found, and which evidence stands.
import { iso } from '../../../../shared/base/lib/clock.ts'
import { controlsOf } from '../../../../shared/assure/catalogue/controls.ts'
import { controlKey, type FrameworkId } from '../../../../shared/assure/catalogue/framework-ids.ts'
import type { CheckStatus } from '../../../../shared/assure/checks/check.ts'
import type { CheckResult } from '../../../../shared/assure/checks/check-result.ts'
import type { Framework } from '../../../../shared/assure/frameworks/framework.ts'
import { type FrameworkState, statesOf } from '../../../../shared/assure/frameworks/state.ts'
import type { LinkNow } from '../../../../shared/assure/submissions/link.ts'

export const space = { tenant_id: 'ten_1', mode: 'live' } as const
export const NOW = Date.parse('2026-11-20T22:37:00.000Z')
export const DAY_MS = 86_400_000

export const settingOf = (framework_id: FrameworkId, over: Partial<Framework> = {}) => ({
  ...space,
  framework_id,
  enabled: true,
  enabled_at: iso(NOW - 40 * DAY_MS),
  scope: {},
  evidence_validity_days: 180,
  window_days: 90,
  catalogue_version: '1',
  _v: 1,
  ...over,
})

export const resultOf = (check_id: string, status: CheckStatus, over: Partial<CheckResult> = {}): CheckResult => ({
  ...space,
  check_id,
  version: 1,
  run_id: 'run_1',
  evaluated_at: iso(NOW - 3_600_000),
  changed_at: iso(NOW - 3_600_000),
  status,
  detail: 'It was looked at.',
  numerator: status === 'pass' ? 1 : 0,
  denominator: 1,
  failing_ids: status === 'fail' ? ['key_1'] : [],
  failing_count: status === 'fail' ? 1 : 0,
  ...over,
})

/** `control`: the id of the control. */
export const linkOf = (framework_id: FrameworkId, control: string, over: Partial<LinkNow> = {}): LinkNow => ({
  ...space,
  framework_id,
  control_key: controlKey(control),
  evidence_id: 'evd_1',
  kind: 'policy',
  title: 'Policy',
  collected_at: iso(NOW - DAY_MS),
  valid_until: iso(NOW + 100 * DAY_MS),
  decided_by: { type: 'user', id: 'usr_1' },
  decided_at: iso(NOW - DAY_MS),
  status: 'current',
  ...over,
})

export const justificationOf = (framework_id: FrameworkId, control: string): LinkNow =>
  linkOf(framework_id, control, {
    evidence_id: 'evd_2',
    kind: 'not_applicable_justification',
    statement: 'Nothing of the kind is done here.',
  })

type Parts = {
  setting?: Partial<Framework> | undefined
  checks?: Readonly<Record<string, CheckStatus>>
  links?: readonly LinkNow[]
  /** When the last full run ended (ms); null: never. */
  ranAt?: number | null
}

export function stateOf(framework_id: FrameworkId, parts: Parts = {}): FrameworkState {
  const { setting, checks = {}, links = [], ranAt = NOW - 3_600_000 } = parts
  const state = statesOf(space, NOW, {
    items: [
      { kind: 'FW', item: settingOf(framework_id, setting) },
      ...Object.entries(checks).map(([id, status]) => ({ kind: 'CHK' as const, item: resultOf(id, status) })),
      ...(ranAt === null ? [] : [{ kind: 'STAND' as const, item: standingOf(framework_id, ranAt) }]),
    ],
    links,
  }).find((one) => one.framework_id === framework_id)
  if (!state) throw new Error(`no framework ${framework_id}`)
  return state
}

const standingOf = (framework_id: FrameworkId, ranAt: number) => ({
  ...space,
  framework_id,
  statuses: {},
  last_run: { id: 'run_1', ended_at: iso(ranAt) },
  _v: 1,
})

export const controlIds = (framework: FrameworkId): string[] => controlsOf(framework).map(({ id }) => id)
