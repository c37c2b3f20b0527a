import { expect, test } from 'vitest'
import { findingsIn, redactAll } from '../../../../shared/learn/samples/redact-text.ts'

const KEY = 'AKIAIOSFODNN7EXAMPLE'

test('addresses, cards and keys are gone from texts, names of members and numbers', () => {
  const document = {
    task: 'write to ann@example.com',
    'ann@example.com': 4_111_111_111_111_111,
    notes: [`key ${KEY}`, 'call +49 151 23456789'],
  }
  const { value, redactions, residual } = redactAll(document)

  expect(residual).toBe(0)
  expect(redactions).toBe(5)
  for (const canary of ['ann@example.com', '4111111111111111', KEY, '23456789'])
    expect(JSON.stringify(value)).not.toContain(canary)
  expect(value).toMatchObject({ task: 'write to [EMAIL_1]', '[EMAIL_1]': '[CREDIT_CARD_1]' })
})

test('a placeholder that makes its neighbour suspicious is looked at again', () => {
  const { residual, value } = redactAll({ note: '+49 151 23456789, 5551234' })
  expect([residual, findingsIn(value)]).toEqual([0, 0])
})

test('what holds nothing stays as it is', () => {
  const document = { amount: 120, currency: 'EUR', lines: [{ sku: 'A1' }], urgent: true, note: null }
  expect(redactAll(document)).toEqual({ value: document, redactions: 0, residual: 0, types: {} })
})
