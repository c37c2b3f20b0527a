import { expect, test } from 'vitest'
import { statusAt, type SubmissionStatus } from '../../../../shared/assure/submissions/submission.ts'

const DAY = 86_400_000
const AT = Date.parse('2026-11-20T10:00:00.000Z')
const submitted_at = '2026-11-20T10:00:00.000Z'

test('a file is awaited for a day, and then rejected', () => {
  const waiting = { status: 'awaiting_upload' as const, submitted_at }

  expect(statusAt(waiting, AT + DAY - 1)).toBe('awaiting_upload')
  expect(statusAt(waiting, AT + DAY)).toBe('rejected')
})

test('accepted evidence is expired from its end on', () => {
  const decision = {
    decision: 'accepted' as const,
    reason: 'Good.',
    by: { type: 'user' as const, id: 'u' },
    at: submitted_at,
    valid_until: '2026-11-21T10:00:00.000Z',
  }
  const accepted = { status: 'accepted' as const, submitted_at, decision }

  expect(statusAt(accepted, AT + DAY - 1)).toBe('accepted')
  expect(statusAt(accepted, AT + DAY)).toBe('expired')
  expect(statusAt({ ...accepted, status: 'superseded' }, AT + DAY)).toBe('superseded')
})

test.each<SubmissionStatus>(['submitted', 'rejected'])('what is %s stays so', (status) => {
  expect(statusAt({ status, submitted_at }, AT + 400 * DAY)).toBe(status)
})
