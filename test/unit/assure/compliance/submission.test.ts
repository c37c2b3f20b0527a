import { expect, test } from 'vitest'
import { statusAt, type SubmissionStatus } from '../../../../shared/assure/compliance/submission.ts'

const DAY = 86_400_000
const AT = Date.parse('2026-11-20T10:00:00.000Z')
const submitted_at = '2026-11-20T10:00:00.000Z'

test('a file is awaited for a day, and then rejected', () => {
  const waiting = { status: 'awaiting_upload' as const, submitted_at }

  expect(statusAt(waiting, AT + DAY - 1)).toBe('awaiting_upload')
  expect(statusAt(waiting, AT + DAY)).toBe('rejected')
})

test.each<SubmissionStatus>(['submitted', 'rejected'])('what is %s stays so', (status) => {
  expect(statusAt({ status, submitted_at }, AT + 400 * DAY)).toBe(status)
})
