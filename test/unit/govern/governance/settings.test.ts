import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS, GovernanceSettings } from '../../../../shared/govern/governance/settings.ts'

test('the defaults are settings', () => {
  expect(GovernanceSettings.parse(DEFAULT_SETTINGS)).toEqual(DEFAULT_SETTINGS)
})

test('a change may name some of them only', () => {
  expect(GovernanceSettings.unwrap().partial().parse({ bulk_limit: 10 })).toEqual({ bulk_limit: 10 })
})

test.each([
  { unknown_tier: 'AUTO' },
  { approval_ttl_s: 59 },
  { approval_ttl_s: 604_801 },
  { trust_floor: 101 },
  { amount_cap: -1 },
  { bulk_limit: 0 },
  { max_open_approvals: 0 },
  { pii_mode: 'ask' },
  { raise_below: 1.1 },
  { domains: ['com'] },
  { domains: ['*.acme.example'] },
  { colour: 'red' },
])('%j is refused', (change) => {
  expect(GovernanceSettings.unwrap().partial().safeParse(change).success).toBe(false)
})

test.each([
  { amount_cap: null },
  { unknown_tier: 'SOFT' },
  { domains: ['acme.example', 'müller.example'] },
  { raise_below: 0 },
])('%j is accepted', (change) => {
  expect(GovernanceSettings.unwrap().partial().parse(change)).toEqual(change)
})
