// A report input of every kind of content, from the real controls of SOC 2.
import { CHECKS, checksOf } from '../../../../shared/assure/catalogue/catalogue.ts'
import { aboutFramework, controlsOf } from '../../../../shared/assure/catalogue/controls.ts'
import { controlKey } from '../../../../shared/assure/catalogue/framework-ids.ts'
import {
  CONTROL_STATUSES,
  type ControlView,
  type FrameworkPosture,
  NOTICE,
} from '../../../../shared/assure/frameworks/control-view.ts'
import type { ReportInput } from '../../../../shared/assure/report/report-input.ts'

const AT = '2026-11-20T10:00:00.000Z'
const ID = '01JD3Q8Z5N8M0P2R4T6V8Y0A2C'

const controls = controlsOf('soc2').map(({ id, title, family, scope }, index): ControlView => {
  const status = CONTROL_STATUSES[index % CONTROL_STATUSES.length] ?? 'met'
  const excluded = status === 'not_applicable'
  return {
    id,
    key: controlKey(id),
    title,
    family,
    type: 'hybrid',
    severity: 'high',
    status,
    status_reason: 'Partially met: 3 of 5 checks pass, 2 without data, and no accepted evidence stands beside them.',
    in_scope: scope === undefined,
    checks: checksOf('soc2', id).map(({ id: check_id, title: check }) => ({
      check_id,
      title: check,
      status: 'pass',
      evaluated_at: AT,
      detail: '10 of 10 hold.',
      numerator: 10,
      denominator: 10,
      sample: [],
    })),
    evidence: [],
    wanted_evidence: ['policy'],
    applicability: {
      applicable: !excluded,
      justification: excluded ? 'We run no premises of our own: Büro, Офис, Γραφείο, 办公室.' : null,
      decided_by: excluded ? `usr_${ID}` : null,
      decided_at: excluded ? AT : null,
    },
    owner_user_id: null,
    note: null,
    gain: 0,
    last_changed_at: AT,
    version: 1,
  }
})

const posture: FrameworkPosture = {
  id: 'soc2',
  name: aboutFramework('soc2').name,
  group: 'core',
  status: 'in_progress',
  score: 57.1,
  controls_met: 7,
  controls_total: 27,
  controls_partially_met: 7,
  controls_not_met: 7,
  controls_not_assessed: 6,
  controls_not_applicable: 6,
  controls_out_of_scope: 28,
  families: aboutFramework('soc2').families.map(({ id, title }, index) => ({
    id,
    title,
    met: index % 4,
    partially_met: index % 3,
    not_met: index % 2,
    not_assessed: 1,
  })),
  failing_checks: ['GOV-01'],
  checks_without_data: 4,
  evidence_expiring_30d: 1,
  last_run_at: AT,
  stale: false,
  trend: Array.from({ length: 30 }, (_, day) => ({
    date: `2026-11-${String(day + 1).padStart(2, '0')}`,
    score: day === 12 ? null : 30 + day,
  })),
  next_actions: [
    {
      action: 'fix_check',
      check_id: 'GOV-01',
      control_ids: ['CC5.1', 'CC6.3'],
      gain: 4.2,
      text: 'Let people who did not ask decide.',
    },
  ],
}

export const sampleInput = (change: Partial<ReportInput> = {}): ReportInput => ({
  export_id: `exp_${ID}`,
  artifact_id: `art_${ID}`,
  tenant: { id: `ten_${ID}`, name: 'Ada & Söhne <GmbH>' },
  mode: 'live',
  framework: { id: 'soc2', name: posture.name, version: aboutFramework('soc2').version },
  window: { start_at: '2026-08-22T00:00:00.000Z', end_at: AT },
  as_of: AT,
  generated_at: AT,
  notice: NOTICE,
  posture,
  controls,
  checks: CHECKS.map(({ id, title, severity, passes_when }, index) => ({
    check_id: id,
    title,
    severity,
    passes_when,
    status: index % 5 === 0 ? 'fail' : 'pass',
    detail: '118 of 120 hold.',
    failing_ids:
      index % 5 === 0 ? Array.from({ length: 20 }, (_, at) => `exe_${ID.slice(0, -2)}${String(at + 10)}`) : [],
    failing_count: index % 5 === 0 ? 31 : 0,
    days: { passed: 60, failed: 3, without_data: 2, without_run: 25 },
    failing: index % 5 === 0 ? [{ first_day: '2026-10-01', last_day: '2026-10-03' }] : [],
  })),
  evidence: Array.from({ length: 205 }, (_, index) => ({
    id: `evd_${ID.slice(0, -3)}${String(index + 100)}`,
    kind: 'access_review',
    title: `Review of access, part ${index + 1}`,
    control_ids: ['CC6.2', 'CC6.3'],
    collected_at: AT,
    status: 'accepted',
    decision: { decision: 'accepted', by: `usr_${ID}`, at: AT, self: index === 0 },
    file_status: 'included',
  })),
  populations: [
    {
      name: 'executions_hard',
      file: 'populations/executions_hard.csv',
      rows: 120,
      rows_without_artifact: null,
      artifacts_without_row: null,
      sampled: 25,
    },
    {
      name: 'approvals',
      file: 'populations/approvals.csv',
      rows: 119,
      rows_without_artifact: [],
      artifacts_without_row: [`apr_${ID}`],
      sampled: 25,
    },
  ],
  sample: { size: 25, seed: '0'.repeat(64), seed_source: 'chain' },
  omissions: [{ path: 'evidence/files/evd_1/report.pdf', reason: 'missing' }],
  ...change,
})
