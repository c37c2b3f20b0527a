import { expect, test } from 'vitest'
import { isEnded } from '../../../../shared/identity/oauth/account.ts'

const at = (text: string) => Date.parse(text) / 1_000

test.each([
  ['2026-11-20T22:00:00.000Z', false, 'before'],
  ['2026-11-20T22:00:01.400Z', true, 'in the same second, of which tokens tell no more'],
  ['2026-11-20T22:00:02.000Z', true, 'afterwards'],
])('what was issued at 22:00:01 has ended when everything ended at %s: %s (%s)', (tokens_valid_after, ended) => {
  expect(isEnded({ tokens_valid_after }, at('2026-11-20T22:00:01.000Z'))).toBe(ended)
})

test('nothing has ended while nothing was', () => {
  expect(isEnded({ tokens_valid_after: null }, 0)).toBe(false)
})
