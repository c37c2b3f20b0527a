import { expect, test } from 'vitest'
import { goodPassword } from '../../../../shared/identity/accounts/password.ts'

const whose = { email: 'anna.smith@example.com', min_length: 12 }
const refusedFor = (loc: string, msg: RegExp) =>
  expect.objectContaining({
    kind: 'invalid',
    detail: [{ loc: ['body', loc], msg: expect.stringMatching(msg), type: 'value_error' }],
  })

test('a password is any text of the right length', () => {
  for (const good of ['aaaaaaaaaaaa', '            ', 'p'.repeat(256), 'пароль-пароль', '🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑']) {
    expect(goodPassword(good, whose)).toBe(good)
  }
})

test.each([
  ['a'.repeat(11), /at least 12/],
  ['🔑'.repeat(11), /at least 12/],
  ['p'.repeat(257), /at most 256/],
  ['my ANNA.SMITH password', /the name in your e-mail/],
])('422: the password "%s" is refused', (bad, msg) => {
  expect(() => goodPassword(bad, whose)).toThrow(refusedFor('password', msg))
  expect(() => goodPassword(bad, { ...whose, field: 'new_password' })).toThrow(refusedFor('new_password', msg))
})

test('the same password typed on another keyboard is the same', () => {
  expect(goodPassword('Zu\u0308rich-Zu\u0308rich', whose)).toBe('Z\u00fcrich-Z\u00fcrich')
})

test('the tenant may ask for more or less', () => {
  expect(goodPassword('12345678', { ...whose, min_length: 8 })).toBe('12345678')
  expect(() => goodPassword('p'.repeat(63), { ...whose, min_length: 64 })).toThrow(
    refusedFor('password', /at least 64/),
  )
})

test('a very short name in an address may occur in a password', () => {
  expect(goodPassword('another word here', { email: 'an@example.com', min_length: 12 })).toBe('another word here')
  expect(goodPassword('no address at all', { email: null, min_length: 12 })).toBe('no address at all')
})
