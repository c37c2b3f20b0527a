import { expect, test } from 'vitest'
import type { Approval } from '../../../../shared/govern/approvals/approval.ts'
import { agesOf, lastRefused, repeated } from '../../../../shared/govern/approvals/repeats.ts'
import { NEVER_S } from '../../../../shared/govern/executions/evaluate-action.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'

const NOW = Date.parse('2026-11-28T12:00:00.000Z')
const ago = (seconds: number) => iso(NOW - seconds * 1_000)
const one = (over: Partial<Approval>) => ({ status: 'pending', requested_at: ago(100), ...over }) as Approval
const ages = (equals: Approval[], before = iso(NOW)) => agesOf(equals, { now: NOW, before })

test('without an equal one, both ages say a day', () => {
  expect(ages([])).toEqual({ repeated: NEVER_S, refused: NEVER_S })
})

test('the age is that of the newest which ran, or waits', () => {
  const ran = one({ status: 'approved', requested_at: ago(500), consumed_at: ago(40) })
  expect(ages([one({ requested_at: ago(60) }), ran])).toMatchObject({ repeated: 40 })
  expect(ages([one({ requested_at: ago(30) }), ran])).toMatchObject({ repeated: 30 })
})

test.each(['rejected', 'expired', 'cancelled'] as const)('one that is %s is not repeated', (status) => {
  expect(ages([one({ status, decided_at: ago(5) })]).repeated).toBe(NEVER_S)
})

test('of two that wait, only the later repeats the other, until one has run', () => {
  const [first, second] = [one({ requested_at: ago(50) }), one({ requested_at: ago(20) })]
  expect(repeated([second], first.requested_at)).toEqual([])
  expect(repeated([first], second.requested_at)).toEqual([first])
  const ran = { ...second, status: 'approved' as const, consumed_at: ago(1) }
  expect(repeated([ran], first.requested_at)).toEqual([ran])
})

test('people refuse by a vote; a policy, the time and the requester refuse for nobody', () => {
  const refused = one({ status: 'rejected', method: 'manual', decided_at: ago(30) })
  const later = one({ status: 'rejected', method: 'policy', decided_at: ago(10) })
  expect(lastRefused([later, refused])).toBe(refused)
  expect(lastRefused([later, one({ status: 'expired', method: 'expired', decided_at: ago(1) })])).toBeUndefined()
  expect(ages([later, refused]).refused).toBe(30)
})
