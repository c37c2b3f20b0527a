import { expect, test } from 'vitest'
import { listResponse, mustFit, withoutMembersIfTooLarge } from '../../../../shared/identity/scim/messages.ts'
import { refusalOf } from './refusals.ts'

/** About 250 bytes each. */
const groupOf = (count: number) => ({
  id: 'grp_1',
  displayName: 'Everybody',
  members: Array.from({ length: count }, (_, n) => ({ value: `person-${n}`, display: 'x'.repeat(220) })),
})

test('what one answer can carry is shown as it is', () => {
  const group = groupOf(20_000)

  expect(mustFit(group)).toBe(group)
  expect(withoutMembersIfTooLarge(group)).toBe(group)
})

test('a list that is too long as a whole is refused, too', () => {
  const half = groupOf(12_000)

  expect(listResponse(1, [half], { startIndex: 1 }).Resources).toEqual([half])
  expect(refusalOf(() => listResponse(2, [half, half], { startIndex: 1 }))).toBe('400 tooMany')
})

test('reading a group that is too long is refused, and a change of it answers without members', () => {
  const group = groupOf(30_000)

  expect(refusalOf(() => mustFit(group))).toBe('400 tooMany')
  expect(withoutMembersIfTooLarge(group)).toEqual({ id: 'grp_1', displayName: 'Everybody' })
})
