// Who stands behind an account, over any series of raises.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, iso } from '../../../../shared/base/lib/clock.ts'
import { among, ANYBODY, raisesAt, withRaises } from '../../../../shared/identity/accounts/raise.ts'
import { raisesOf } from '../../../../shared/identity/access/permissions.ts'
import { NEW_USER, type User } from '../../../../shared/identity/accounts/user.ts'
import { runs } from '../../../support/runs.ts'

const NOW = Date.parse('2026-11-20T09:00:00.000Z')
const at = (days: number) => iso(NOW - days * DAY_MS)

test('a raise lasts 30 days, to the millisecond', () => {
  const raised = [{ by: 'usr_a', at: at(0) }]

  expect(raisesAt(raised, NOW + 30 * DAY_MS - 1)).toEqual(raised)
  expect(raisesAt(raised, NOW + 30 * DAY_MS)).toEqual([])
  expect(raisesAt(undefined, NOW)).toEqual([])
})

const raise = fc.record({ by: fc.constantFrom('usr_a', 'usr_b', 'usr_c', 'usr_x'), at: fc.nat(40).map(at) })

test('no raise removes another person from the account, and nobody raises their own account', () => {
  fc.assert(
    fc.property(fc.array(raise), fc.array(raise), (was, added) => {
      const kept = withRaises(was, added, 'usr_x') ?? []
      const of = (id: string) => [...was, ...added].filter(({ by }) => by === id).map((one) => one.at)
      for (const id of ['usr_a', 'usr_b', 'usr_c']) {
        expect(kept.filter(({ by }) => by === id).map((one) => one.at)).toEqual(of(id).toSorted().slice(-1))
      }
      expect(kept.map(({ by }) => by)).not.toContain('usr_x')
    }),
    runs(200),
  )
})

test('behind an account that more people raised than it keeps, everybody stands', () => {
  const many = Array.from({ length: 9 }, (_, index) => ({ by: `usr_${index}`, at: at(index) }))
  const kept = withRaises(many.slice(0, 8), many.slice(8)) ?? []

  expect(withRaises([], many.slice(0, 8))).toHaveLength(8)
  expect(kept).toEqual([{ by: ANYBODY, at: at(0) }])
  expect(among([ANYBODY], ['usr_0', 'usr_z'])).toEqual(['usr_0', 'usr_z'])
  expect(among(['usr_0', 'usr_1'], ['usr_0', 'usr_z'])).toEqual(['usr_0'])
})

const person = (over: Partial<User>): User => ({
  ...NEW_USER,
  id: 'usr_x',
  tenant_id: 'ten_1',
  username: 'x',
  email: null,
  email_verified: true,
  name: '',
  roles: ['ops'],
  status: 'active',
  source: 'invite',
  created_at: at(90),
  updated_at: at(90),
  ...over,
})
const role = (name: string, over: object = {}) => ({
  tenant_id: 'ten_1',
  name,
  description: '',
  permissions: ['approvals:decide' as const],
  created_at: at(90),
  updated_at: at(90),
  ...over,
})
const ops = role('ops', { raised: [{ by: 'usr_a', at: at(3) }] })

test('a person who lets the holders of a role decide raises those who could not without it', () => {
  expect(raisesOf(person({}), [ops, role('other')], NOW)).toEqual([{ by: 'usr_a', at: at(3) }])
  expect(raisesOf(person({ confirmed_at: at(4) }), [ops], NOW)).toHaveLength(1)
})

test.each<[string, Partial<User>]>([
  ['could decide before', { roles: ['ops', 'approver'] }],
  ['got it long before another one', { roles: ['ops', 'old'] }],
  ['does not hold it', { roles: ['member'] }],
  ['was confirmed since', { confirmed_at: at(2) }],
])('and not behind somebody who %s', (_, over) => {
  const user = person(over)

  expect(raisesOf(user, [ops, role('old', { raised: [{ by: 'usr_a', at: at(31) }] })], NOW)).toEqual([])
})
