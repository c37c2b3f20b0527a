import { expect, test } from 'vitest'
import { policySetVersion } from '../../../../shared/govern/governance/stored-rules.ts'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import { policyOf } from './make.ts'

const [one, two] = [policyOf({ effect: 'forbid' }), policyOf({ effect: 'require_undo' })]

test('the version does not depend on the order of policies', () => {
  expect(policySetVersion([one, two], DEFAULT_SETTINGS)).toBe(policySetVersion([two, one], DEFAULT_SETTINGS))
  expect(policySetVersion([one], DEFAULT_SETTINGS)).toMatch(/^sha256:[0-9a-f]{64}$/)
})

test('what is disabled is not part of it', () => {
  expect(policySetVersion([one, { ...two, enabled: false }], DEFAULT_SETTINGS)).toBe(
    policySetVersion([one], DEFAULT_SETTINGS),
  )
})

test('any change of a policy or a setting makes another version', () => {
  const versions = [
    policySetVersion([one], DEFAULT_SETTINGS),
    policySetVersion([{ ...one, version: 2 }], DEFAULT_SETTINGS),
    policySetVersion([{ ...one, mode: 'shadow' }], DEFAULT_SETTINGS),
    policySetVersion([one], { ...DEFAULT_SETTINGS, trust_floor: 31 }),
    policySetVersion([], DEFAULT_SETTINGS),
  ]

  expect(new Set(versions).size).toBe(versions.length)
})
