import { describe, expect, test } from 'vitest'
import { asksForFactor, enrolBy, mayEnrol, needsEnrolment } from '../../../../shared/identity/mfa/policy.ts'
import { countsFromProvider } from '../../../../shared/identity/access/assurance.ts'
import { MfaPolicy } from '../../../../shared/base/tenant/tenant.ts'

const DAY = 86_400_000
const created_at = '2026-01-01T00:00:00.000Z'
const since = '2026-03-01T00:00:00.000Z'

const tenant = (policy: Partial<MfaPolicy> = {}) => ({ mfa_policy: MfaPolicy.parse(policy) })
const required = (over: Partial<MfaPolicy> = {}) => tenant({ enforcement: 'required', since, grace_days: 7, ...over })
const without = { mfa_enrolled: false, created_at }
const enrolled = { mfa_enrolled: true, created_at }

describe('who must enrol', () => {
  test('is without a factor, once the grace is over, on that very instant', () => {
    const due = Date.parse(since) + 7 * DAY

    expect([due - 1, due].map((now) => needsEnrolment(required(), without, now))).toEqual([false, true])
  })

  test('has the whole grace when the account is younger than the policy', () => {
    const young = { ...without, created_at: '2026-04-01T00:00:00.000Z' }

    expect(enrolBy(required(), young)).toBe(Date.parse(young.created_at) + 7 * DAY)
    expect(needsEnrolment(required({ grace_days: 0 }), young, Date.parse(young.created_at))).toBe(true)
  })

  test('is nobody where a factor is optional or off, and nobody who has one', () => {
    for (const enforcement of ['optional', 'off'] as const) {
      expect(needsEnrolment(tenant({ enforcement }), without, Number.MAX_SAFE_INTEGER)).toBe(false)
    }
    expect(needsEnrolment(required(), enrolled, Number.MAX_SAFE_INTEGER)).toBe(false)
  })
})

describe('a sign-in waits for a factor', () => {
  const ordinary = { trusted: false, demanded: false }
  const replacing = tenant({ idp_mfa_replaces_enrolled: true })

  test.each([
    ['of somebody who has one', tenant(), enrolled, ordinary, true],
    ['not of somebody who has none', tenant(), without, ordinary, false],
    ['not where factors are off', tenant({ enforcement: 'off' }), enrolled, ordinary, false],
    [
      'even there when the sign-in is strange',
      tenant({ enforcement: 'off' }),
      enrolled,
      { trusted: false, demanded: true },
      true,
    ],
    ['also when the identity provider says it has asked', tenant(), enrolled, { trusted: true, demanded: false }, true],
    ['not then where an owner lets that replace it', replacing, enrolled, { trusted: true, demanded: false }, false],
    ['not even for a strange one there', replacing, enrolled, { trusted: true, demanded: true }, false],
    [
      'all the same where the provider is not trusted',
      tenant({ trust_idp_mfa: false }),
      enrolled,
      { trusted: true, demanded: false },
      true,
    ],
  ] as const)('%s', (_, ruled, user, occasion, asked) => {
    expect(asksForFactor(ruled, user, occasion)).toBe(asked)
  })
})

describe('the word of an identity provider for a second factor', () => {
  test('counts for who has none here, and replaces one that is only where an owner has said so', () => {
    expect(countsFromProvider(tenant(), without)).toBe(true)
    expect(countsFromProvider(tenant(), enrolled)).toBe(false)
    expect(countsFromProvider(tenant({ idp_mfa_replaces_enrolled: true }), enrolled)).toBe(true)
  })

  test('counts for nobody where the provider is not trusted', () => {
    const distrusted = tenant({ trust_idp_mfa: false, idp_mfa_replaces_enrolled: true })

    expect([without, enrolled].map((user) => countsFromProvider(distrusted, user))).toEqual([false, false])
  })
})

test('factors are added as far as the tenant wants them, also where no sign-in asks for one', () => {
  const policy = MfaPolicy.parse({ allowed_methods: ['webauthn'], enforcement: 'off' })

  expect([mayEnrol(policy, 'webauthn'), mayEnrol(policy, 'totp')]).toEqual([true, false])
})
