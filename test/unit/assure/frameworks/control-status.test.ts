import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SEVERITIES } from '../../../../shared/assure/catalogue/catalogue.ts'
import { CHECK_STATUSES, type CheckStatus } from '../../../../shared/assure/checks/check.ts'
import { type Basis, reasonOf, statusOf } from '../../../../shared/assure/frameworks/assess.ts'
import { CONTROL_TYPES, type ControlStatus } from '../../../../shared/assure/frameworks/control-view.ts'

type Short = readonly [CheckStatus, (typeof SEVERITIES)[number]?]
const basisOf = (checks: readonly Short[], over: Partial<Basis> = {}): Basis => ({
  applicable: true,
  type: 'hybrid',
  evidenced: false,
  checks: checks.map(([status, severity = 'medium'], index) => ({ check_id: `GOV-0${index + 1}`, status, severity })),
  ...over,
})
const evidenced = { evidenced: true }
const automatic = { type: 'automatic' } as const

describe('the status of a control is that of the first row that matches', () => {
  test.each<[string, Basis, ControlStatus]>([
    ['1: what does not apply', basisOf([['fail', 'critical']], { applicable: false }), 'not_applicable'],
    ['2: a critical check fails beside passing ones', basisOf([['fail', 'critical'], ['pass']], evidenced), 'not_met'],
    ['2: a check fails and none passes', basisOf([['fail'], ['no_data']], evidenced), 'not_met'],
    ['3: a check fails, another passes', basisOf([['fail', 'high'], ['pass']], evidenced), 'partially_met'],
    ['4: automatic, and all with data pass', basisOf([['pass'], ['no_data'], ['error']], automatic), 'met'],
    ['4: hybrid, with evidence', basisOf([['pass']], evidenced), 'met'],
    ['5: hybrid, without evidence', basisOf([['pass']]), 'partially_met'],
    ['6: manual, with evidence', basisOf([], { type: 'manual', evidenced: true }), 'met'],
    ['6: manual, without evidence', basisOf([], { type: 'manual' }), 'not_assessed'],
    ['6: no check applies, with evidence', basisOf([['not_applicable'], ['not_applicable']], evidenced), 'met'],
    ['6: no check applies, without evidence', basisOf([['not_applicable']], automatic), 'not_assessed'],
    ['7: nothing is known, with evidence', basisOf([['no_data'], ['not_applicable']], evidenced), 'partially_met'],
    ['7: nothing is known, without evidence', basisOf([['error']], automatic), 'not_assessed'],
  ])('row %s', (_, basis, status) => {
    expect(statusOf(basis)).toBe(status)
  })
})

const RANK: Record<ControlStatus, number> = {
  met: 2,
  partially_met: 1,
  not_assessed: 0,
  not_met: 0,
  not_applicable: -1,
}
const rankOf = (basis: Basis): number => RANK[statusOf(basis)]
const check = fc.record({
  check_id: fc.constant('GOV-01'),
  severity: fc.constantFrom(...SEVERITIES),
  status: fc.constantFrom(...CHECK_STATUSES),
})
const anyBasis = fc
  .record<Basis>({
    applicable: fc.boolean(),
    type: fc.constantFrom(...CONTROL_TYPES),
    checks: fc.array(check, { maxLength: 5 }),
    evidenced: fc.boolean(),
  })
  .map((basis): Basis => (basis.checks.length === 0 ? { ...basis, type: 'manual' } : basis))

describe('over anything that may be found', () => {
  test('one more failing check never improves a status', () => {
    fc.assert(
      fc.property(anyBasis, check, (basis, one) => {
        const worse = { ...basis, checks: [...basis.checks, { ...one, status: 'fail' as const }] }
        expect(rankOf(worse)).toBeLessThanOrEqual(rankOf(basis))
      }),
    )
  })

  test('accepted evidence never worsens a status', () => {
    fc.assert(
      fc.property(anyBasis, (basis) => {
        expect(rankOf({ ...basis, evidenced: true })).toBeGreaterThanOrEqual(rankOf({ ...basis, evidenced: false }))
      }),
    )
  })

  test('the order of the checks decides nothing', () => {
    fc.assert(
      fc.property(anyBasis, (basis) => {
        expect(statusOf({ ...basis, checks: basis.checks.toReversed() })).toBe(statusOf(basis))
      }),
    )
  })

  test('the reason is one sentence that begins with the status', () => {
    fc.assert(
      fc.property(anyBasis, fc.boolean(), (basis, expired) => {
        const unless = basis.applicable ? undefined : 'left out'
        expect(reasonOf(basis, { expired, unless })).toMatch(
          /^(Met|Partially met|Not met|Not assessed|Not applicable): [^.]+\.$/,
        )
      }),
    )
  })
})

test('the reason names what fails, what has no data and what is about the deployment', () => {
  const { checks } = basisOf([['fail', 'high'], ['pass'], ['fail'], ['no_data']])
  const shared = { check_id: 'SEC-01', severity: 'critical', status: 'pass' } as const

  expect(reasonOf({ ...basisOf([]), checks: [...checks, shared] }, { expired: true })).toBe(
    'Partially met: GOV-01 and GOV-03 fail, 2 of 5 checks pass, 1 without data, its evidence has expired, SEC-01 is about the whole deployment.',
  )
})
