import { describe, expect, test } from 'vitest'
import { claimsOf, NEW_USER, NOT_ACTIVE, type User } from '../../../../shared/identity/accounts/user.ts'

const anna: User = {
  ...NEW_USER,
  id: '0b2f3a52-6d3f-4c7b-9d52-1f0f5b2f9a10',
  tenant_id: 'ten_1',
  username: '01J00000000000000000000000',
  email: 'anna@example.com',
  email_verified: false,
  name: 'Anna',
  roles: ['developer'],
  status: 'active',
  source: 'register',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

describe('the claims of an account', () => {
  test('name its tenant, its address and each of its roles once', () => {
    expect(claimsOf({ ...anna, group_roles: ['developer', 'auditor'] })).toEqual({
      email: 'anna@example.com',
      tenant_id: 'ten_1',
      roles: ['developer', 'auditor'],
    })
  })

  test.each([
    ['there is none', undefined],
    ['it is invited', { ...anna, status: 'invited' as const }],
    ['it is suspended', { ...anna, status: 'suspended' as const }],
    ['it is deleted', { ...anna, status: 'deleted' as const }],
    ['it has no address', { ...anna, email: null }],
  ])('are refused when %s', (_, user) => {
    expect(() => claimsOf(user)).toThrow(NOT_ACTIVE)
  })
})
