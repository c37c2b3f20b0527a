import { describe, expect, test } from 'vitest'
import {
  checkLines,
  checkReport,
  DAY_COLUMNS,
  dayRows,
  PERIOD_COLUMNS,
  periodRow,
  RESULT_COLUMNS,
  resultRow,
} from '../../../../shared/assure/audit-pack/check-rows.ts'
import type { DayStatus } from '../../../../shared/assure/checks/check-result.ts'
import { CONTROL_COLUMNS, controlRow } from '../../../../shared/assure/audit-pack/control-rows.ts'
import { csvDocument } from '../../../../shared/assure/audit-pack/archive.ts'
import { readCsv } from '../../../support/csv.ts'
import { controlOf, resultOf, WINDOW } from './make.ts'

const read = (columns: readonly string[], rows: readonly object[]) =>
  readCsv(
    csvDocument(
      columns,
      rows.map((row) => ({ ...row })),
    ).join(''),
  )

describe('the list of controls', () => {
  test('has a cell for each fact, of controls that are out of scope, too', () => {
    const control = controlOf('soc2', 'CC6.1', {
      status: 'partially_met',
      status_reason: '=HYPERLINK("http://evil.example"), "quoted"\r\nΕλλάς 中文 Ёж',
      applicability: { applicable: true, justification: null, decided_by: null, decided_at: null },
      owner_user_id: 'usr_1',
      evidence: ['2026-09-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'].map((collected_at, index) => ({
        id: `evd_${index}`,
        kind: 'policy',
        title: 'A policy',
        status: 'current',
        collected_at,
        valid_until: null,
      })),
    })
    const outside = controlOf('soc2', 'P1.1', { in_scope: false, status: 'not_assessed' })
    const [first, second] = read(
      CONTROL_COLUMNS,
      [control, outside].map((one) => controlRow('soc2', one, WINDOW)),
    )

    expect(first).toMatchObject({
      framework: 'soc2',
      control_id: 'CC6.1',
      in_scope: 'true',
      reason: `'${control.status_reason}`,
      checks_passed: String(control.checks.length),
      checks_failed: '0',
      evidence_count: '2',
      evidence_in_window: '1',
      owner: 'usr_1',
      justification: '',
    })
    expect(second).toMatchObject({ control_id: 'P1.1', control_key: 'p1.1', in_scope: 'false', status: 'not_assessed' })
  })
})

describe('the documents of the checks', () => {
  const found: Record<string, DayStatus> = { '2026-05-01': 'fail', '2026-05-02': 'no_run', '2026-05-03': 'pass' }
  const days = Object.entries(found).map(([date, status]) => ({
    date,
    statusOf: (id: string): DayStatus => (id === 'GOV-01' ? status : 'no_run'),
  }))
  const failing = resultOf('GOV-01', { status: 'fail', failing_ids: ['exe_1', 'exe_2'], failing_count: 40 })
  const lines = checkLines('hipaa', { results: new Map([['GOV-01', failing]]), days })
  const [gov01] = lines.filter(({ check }) => check.id === 'GOV-01')

  test('hold each check that speaks for the framework, also one that has never run', () => {
    const rows = read(
      RESULT_COLUMNS,
      lines.map((line) => resultRow('hipaa', line)),
    )

    expect(rows).toHaveLength(41)
    expect(rows.find(({ check_id }) => check_id === 'GOV-01')).toMatchObject({
      status: 'fail',
      failing_ids: 'exe_1 exe_2',
      failing_count: '40',
      control_ids: '164.308-a-3-ii-a',
    })
    expect(rows.find(({ check_id }) => check_id === 'GOV-02')).toMatchObject({ status: 'no_data', evaluated_at: '' })
  })

  test('hold every day, also those without a run', () => {
    expect(read(DAY_COLUMNS, lines.flatMap(dayRows))).toHaveLength(41 * 3)
    expect(read(DAY_COLUMNS, gov01 ? dayRows(gov01) : []).map(({ status }) => status)).toEqual([
      'fail',
      'no_run',
      'pass',
    ])
    expect(read(PERIOD_COLUMNS, gov01 ? [periodRow(gov01)] : [])).toEqual([
      {
        check_id: 'GOV-01',
        days_passed: '1',
        days_failed: '1',
        days_without_data: '0',
        days_without_run: '1',
        days_not_applicable: '0',
        failing_stretches: '2026-05-01/2026-05-01',
      },
    ])
  })

  test('and the report say the same', () => {
    expect(gov01 && checkReport(gov01)).toMatchObject({
      status: 'fail',
      failing_count: 40,
      days: { passed: 1, failed: 1, without_run: 1 },
      failing: [{ first_day: '2026-05-01', last_day: '2026-05-01' }],
    })
  })
})
