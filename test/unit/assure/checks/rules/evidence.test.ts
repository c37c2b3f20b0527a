import { describe, expect, test } from 'vitest'
import { type CheckStatus } from '../../../../../shared/assure/checks/check.ts'
import { STATE_CHECKS } from '../../../../../shared/assure/checks/state-checks.ts'
import { iso } from '../../../../../shared/base/lib/clock.ts'
import type { ChainFacts, CountFact, Facts, TaskFact } from '../../../../../shared/base/ports/check-facts.ts'
import { DAY, HOUR, idAt, NOTHING_THERE } from '../../space.ts'

const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const ago = (ms: number) => iso(NOW - ms)

const find = (check: string, facts: Partial<Facts>) =>
  STATE_CHECKS[check]?.find(facts, { now: NOW, since: NOW - 90 * DAY })

type Row = [facts: Partial<Facts>, status: CheckStatus, failing?: readonly string[]]

/** Each fixture of a check: what it looks at, what it finds, and what it names. */
function fixtures(check: string, rows: readonly Row[]): void {
  describe(check, () => {
    test.each(rows.map((row, index) => [index + 1, row] as const))('fixture %i', (_, [facts, status, failing = []]) => {
      expect(find(check, facts)).toMatchObject({ status, failing_ids: failing })
    })
  })
}

const settings = await NOTHING_THERE.settings({ ctx: {} as never, now: NOW, since: NOW })
const young = { ...settings, created_at: ago(HOUR) }

const SOUND: ChainFacts = {
  size: 100,
  broken: false,
  last_full: { at: ago(HOUR), valid: true },
  completeness: { at: ago(HOUR), complete: true },
  checkpoint: { at: ago(HOUR), size: 100, opens: true },
  oldest_unsigned_at: null,
}
const chain = (over: Partial<ChainFacts> = {}, of = settings) => ({ settings: of, chain: { ...SOUND, ...over } })
const NO_CHAIN = { size: 0, last_full: null, completeness: null, checkpoint: null }

fixtures('EVD-01', [
  [chain(), 'pass'],
  [chain({ last_full: { at: ago(HOUR), valid: false } }), 'fail', ['last full verification']],
  [chain({ last_full: { at: ago(27 * HOUR), valid: true } }), 'fail', ['last full verification']],
  [chain({ broken: true }), 'fail', ['chain as it is signed']],
  [chain({ last_full: null }), 'fail', ['last full verification']],
  [chain({ last_full: null }, young), 'no_data'],
  [chain({ last_full: null, broken: true }, young), 'fail', ['chain as it is signed', 'last full verification']],
  [chain(NO_CHAIN), 'no_data'],
])

fixtures('EVD-02', [
  [chain(), 'pass'],
  [chain({ oldest_unsigned_at: ago(59 * 60_000) }), 'pass'],
  [chain({ oldest_unsigned_at: ago(61 * 60_000) }), 'fail', ['artifacts older than 60 min']],
  [chain({ checkpoint: { at: '', size: 0, opens: false } }), 'fail', ['newest checkpoint']],
  [chain({ broken: true }), 'fail', ['chain as it is signed']],
  [chain(NO_CHAIN), 'no_data'],
])

fixtures('EVD-03', [
  [chain(), 'pass'],
  [chain({ completeness: { at: ago(HOUR), complete: false } }), 'fail', ['last completeness pass']],
  [chain({ completeness: { at: ago(27 * HOUR), complete: true } }), 'fail', ['last completeness pass']],
  [chain({ completeness: null }), 'fail', ['last completeness pass']],
  [chain({ completeness: null }, young), 'no_data'],
])

const backups = { recovery: true, versions: true, lock: true, lock_days: 2_555 }
fixtures('EVD-04', [
  [{ backups, frameworks: ['hipaa', 'soc2'] }, 'pass'],
  [{ backups, frameworks: [] }, 'pass'],
  [{ backups: { ...backups, lock_days: 365 }, frameworks: ['hipaa', 'soc2'] }, 'fail', ['hipaa']],
  [{ backups: { ...backups, lock: false }, frameworks: ['soc2'] }, 'fail', ['soc2']],
  [{ backups: null, frameworks: ['soc2'] }, 'not_applicable'],
])

const audit = (artifacts: number, entries: number, ...lost: string[]) => ({
  audit_entries: { artifacts, entries, lost },
})
fixtures('EVD-05', [
  [audit(10, 10), 'pass'],
  [audit(10, 12), 'pass'],
  [audit(10, 9), 'fail'],
  [audit(10, 12, '2026-03'), 'fail', ['2026-03']],
  [audit(0, 0), 'no_data'],
])

const read = (at: string) => ({ audit_reads: [{ at, user_id: 'usr_1' }] })
fixtures('EVD-06', [
  [{ settings, ...read(ago(29 * DAY)) }, 'pass'],
  [{ settings, ...read(ago(31 * DAY)) }, 'fail'],
  [{ settings: young, audit_reads: [] }, 'no_data'],
  [{ settings: young, ...read(ago(60_000)) }, 'pass'],
])

const count = (numerator: number, denominator: number, ...failing_ids: string[]): CountFact => ({
  numerator,
  denominator,
  failing_ids,
  failing_count: denominator - numerator,
})

for (const check of ['GOV-01', 'GOV-02', 'PRV-02']) {
  fixtures(check, [
    [{ executions: { [check]: count(3, 3) } }, 'pass'],
    [{ executions: { [check]: count(1, 3, 'exe_1', 'exe_2') } }, 'fail', ['exe_1', 'exe_2']],
    [{ executions: { [check]: count(0, 0) } }, 'no_data'],
    [{}, 'no_data'],
  ])
}

fixtures('IAM-10', [
  [{ executions: { 'IAM-10': count(3, 3) }, audit_actors: count(1, 1) }, 'pass'],
  [{ executions: { 'IAM-10': count(2, 3, 'exe_1') }, audit_actors: count(0, 1, 'aud_1') }, 'fail', ['aud_1', 'exe_1']],
  [{ executions: {}, audit_actors: count(0, 0) }, 'no_data'],
])

const [old, other, fresh] = [idAt(NOW - 9 * DAY), idAt(NOW - 8 * DAY), idAt(NOW - DAY)]
const work = { id: 'tsk_1', kind: 'general', opened_at: ago(DAY), ended_at: undefined, resolved: true }
const task = (source_id: string, status: string): TaskFact => ({ ...work, status, source_id })
fixtures('GOV-05', [
  [{ violations: { ids: [old], more: 0 }, tasks: [task(old, 'completed')] }, 'pass'],
  [{ violations: { ids: [other, old], more: 0 }, tasks: [task(other, 'cancelled')] }, 'fail', [old, other]],
  [{ violations: { ids: [old], more: 2 }, tasks: [task(old, 'completed')] }, 'fail'],
  [{ violations: { ids: [fresh], more: 0 }, tasks: [] }, 'no_data'],
  [{ violations: { ids: [old], more: 0 } }, 'no_data'],
])

fixtures('GOV-08', [
  [{ versions: [{ id: 'pol_1@2', traced: true }] }, 'pass'],
  [
    {
      versions: [
        { id: 'pol_1@2', traced: false },
        { id: 'pol_1@1', traced: true },
      ],
    },
    'fail',
    ['pol_1@2'],
  ],
  [{ versions: [{ id: 'pol_1@1', traced: true }], routing: [{ id: 'rtu_1', traced: false }] }, 'fail', ['rtu_1']],
  [{ versions: [], routing: [{ id: 'rtu_1', traced: true }] }, 'pass'],
  [{ versions: [] }, 'no_data'],
])

test('what fails beyond the named ones is counted', () => {
  const many: CountFact = { ...count(0, 40), failing_ids: ['exe_1'], failing_count: 40 }

  expect(find('GOV-01', { executions: { 'GOV-01': many } })).toMatchObject({
    failing_count: 40,
    failing_ids: ['exe_1'],
  })
})
