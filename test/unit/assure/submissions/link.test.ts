import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type EvidenceLink,
  isEvidence,
  isJustification,
  withStatus,
} from '../../../../shared/assure/submissions/link.ts'

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString()
const NOW = Date.parse(day(20))

const link = (over: Partial<EvidenceLink> = {}): EvidenceLink => ({
  tenant_id: 'ten_1',
  mode: 'live',
  framework_id: 'soc2',
  control_key: 'cc6.3',
  evidence_id: 'evd_1',
  kind: 'access_review',
  title: 'Review',
  collected_at: day(1),
  valid_until: day(100),
  decided_by: { type: 'user', id: 'u1' },
  decided_at: day(2),
  ...over,
})

const statuses = (links: EvidenceLink[], now = NOW) => withStatus(links, now).map(({ status }) => status)

describe('the status of accepted evidence at a control', () => {
  test('is current until its end, and expired from that instant on', () => {
    expect(statuses([link()], Date.parse(day(100)) - 1)).toEqual(['current'])
    expect(statuses([link()], Date.parse(day(100)))).toEqual(['expired'])
  })

  test('is superseded by a newer piece of the same kind at the same control', () => {
    const newer = link({ evidence_id: 'evd_2', collected_at: day(3), valid_until: day(120) })
    expect(statuses([link(), newer])).toEqual(['superseded', 'current'])
  })

  test.each([
    ['of another kind', { kind: 'scan' }],
    ['at another control', { control_key: 'cc6.2' }],
    ['at the control of that name in another framework', { framework_id: 'hipaa' }],
    ['that is older', { collected_at: day(0) }],
    ['that ends sooner', { valid_until: day(99) }],
  ] satisfies [string, Partial<EvidenceLink>][])('stays current beside a piece %s', (_, over) => {
    const other = link({ evidence_id: 'evd_2', collected_at: day(3), valid_until: day(120), ...over })
    expect(statuses([link(), other])[0]).toBe('current')
  })

  test('is decided by when it was accepted where two were made at the same time', () => {
    const later = link({ evidence_id: 'evd_0', decided_at: day(4) })
    expect(statuses([link(), later])).toEqual(['superseded', 'current'])
  })

  test('tells a justification from evidence', () => {
    const [reason, review] = withStatus([link({ kind: 'not_applicable_justification' }), link()], NOW)
    expect([reason && isJustification(reason), reason && isEvidence(reason)]).toEqual([true, false])
    expect([review && isJustification(review), review && isEvidence(review)]).toEqual([false, true])
  })

  test('leaves no control without evidence because one more piece was accepted', () => {
    const any = fc
      .record({
        evidence_id: fc.constantFrom('evd_1', 'evd_2', 'evd_3'),
        collected_at: fc.integer({ min: 1, max: 9 }).map(day),
        decided_at: fc.integer({ min: 1, max: 9 }).map(day),
        valid_until: fc.integer({ min: 1, max: 40 }).map(day),
      })
      .map(link)
    const holds = (links: EvidenceLink[], now: number) => withStatus(links, now).some(isEvidence)
    fc.assert(
      fc.property(fc.array(any, { maxLength: 6 }), any, fc.integer({ min: 10, max: 41 }), (links, more, at) => {
        const now = Date.parse(day(at))
        if (holds(links, now)) expect(holds([...links, more], now)).toBe(true)
      }),
    )
  })
})
