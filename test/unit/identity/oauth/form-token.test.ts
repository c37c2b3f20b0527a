import { expect, test } from 'vitest'
import { formToken, isFormToken } from '../../../../shared/identity/oauth/pages/forms.ts'

const key = new Uint8Array(32).fill(7)

test('a form belongs to one interaction', () => {
  const token = formToken(key, 'uid-1')

  expect(isFormToken(key, 'uid-1', token)).toBe(true)
  expect(isFormToken(key, 'uid-2', token)).toBe(false)
  expect(isFormToken(new Uint8Array(32), 'uid-1', token)).toBe(false)
  expect(isFormToken(key, 'uid-1', '')).toBe(false)
})
