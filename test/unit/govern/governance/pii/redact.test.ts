import { expect, test } from 'vitest'
import { Redactor } from '../../../../../shared/govern/governance/pii/redact.ts'

test('a value has the same placeholder throughout a document, and another value another one', () => {
  const redactor = new Redactor()

  expect(
    redactor.redactMembers({
      to: ['ann@example.com', 'bob@example.com'],
      text: 'ann@example.com wrote to bob@example.com from 203.0.113.7.',
      nested: { deep: [{ card: '4111 1111 1111 1111' }] },
    }),
  ).toEqual({
    to: ['[EMAIL_1]', '[EMAIL_2]'],
    text: '[EMAIL_1] wrote to [EMAIL_2] from [IP_1].',
    nested: { deep: [{ card: '[CREDIT_CARD_1]' }] },
  })
  expect(redactor.redact('bob@example.com')).toBe('[EMAIL_2]') // another part of the same document
})

test('documents know nothing of each other', () => {
  new Redactor().redact('ann@example.com')

  expect(new Redactor().redact('bob@example.com')).toBe('[EMAIL_1]')
})

test('the name of a member tells what it holds, and is redacted itself', () => {
  expect(new Redactor().redactMembers({ phone: '030 1234567', 'ann@example.com': 1 })).toEqual({
    phone: '[PHONE_1]',
    '[EMAIL_1]': 1,
  })
})

test('what holds nothing to hide stays as it is', () => {
  const payload = { '': null, constructor: { a: [true, 1.5, 'plain', { b: undefined }] } }
  const redactor = new Redactor()

  expect(redactor.redact(payload)).toEqual(payload)
  expect(redactor.hasRedacted).toBe(false)
})
