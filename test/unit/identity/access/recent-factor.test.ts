import { describe, expect, test } from 'vitest'
import type { Context, Principal } from '../../../../shared/base/context.ts'
import {
  mustHaveFreshSignIn,
  mustBeInPerson,
  mustHaveRecentFactor,
} from '../../../../shared/identity/access/assurance.ts'
import { afterFailure, UNLOCKED } from '../../../../shared/identity/mfa/totp-factor.ts'
import { MfaPolicy } from '../../../../shared/base/tenant/tenant.ts'
import { personIn } from '../../../support/person.ts'

Object.assign(process.env, { TABLE_NAME: 'countersign', AWS_REGION: 'memory' })

const MINUTE = 60_000
const NOW = 1_000 * MINUTE

const of = (over: Partial<Principal>): Context => ({
  ...personIn({ tenant_id: 'ten_1', mode: 'live' }, ['owner'], over),
  now: () => NOW,
})
const passes = (check: () => void) => {
  try {
    check()
    return true
  } catch (error) {
    expect(error).toMatchObject({ kind: 'forbidden' })
    return false
  }
}

describe('a fresh sign-in', () => {
  const isFresh = (over: Partial<Principal>) => passes(() => mustHaveFreshSignIn(of(over)))

  test('is less than ten minutes old, or has shown a factor since', () => {
    expect(isFresh({ signed_in_at: NOW - 10 * MINUTE + 1 })).toBe(true)
    expect(isFresh({ signed_in_at: NOW - 10 * MINUTE })).toBe(false)
    expect(isFresh({ signed_in_at: 0, mfa_at: NOW - 10 * MINUTE + 1 })).toBe(true)
    expect(isFresh({ signed_in_at: 0, mfa_at: NOW - 10 * MINUTE })).toBe(false)
    expect(isFresh({})).toBe(false)
  })

  test('is not enough for who has a factor: that must have been shown', () => {
    expect(isFresh({ signed_in_at: NOW, mfa_enrolled: true })).toBe(false)
    expect(isFresh({ signed_in_at: 0, mfa_at: NOW, mfa_enrolled: true })).toBe(true)
  })
})

describe('somebody who is there', () => {
  const tenant = (policy: Partial<MfaPolicy> = {}) => ({ mfa_policy: MfaPolicy.parse(policy) })
  const isThere = (over: Partial<Principal>, policy: Partial<MfaPolicy> = {}) =>
    passes(() => mustBeInPerson(of(over), tenant(policy)))
  const shown = { mfa_enrolled: true, mfa_at: NOW - 10 * MINUTE + 1 }
  const vouched = { idp_mfa: true, signed_in_at: NOW }

  test('has shown a factor here within ten minutes, or within what the tenant wants', () => {
    expect(isThere(shown)).toBe(true)
    expect(isThere({ ...shown, mfa_at: NOW - 10 * MINUTE })).toBe(false)
    expect(isThere(shown, { step_up_minutes: 60 })).toBe(true)
    expect(isThere({ ...shown, mfa_at: NOW - 10 * MINUTE }, { step_up_minutes: 60 })).toBe(false)
    expect(isThere(shown, { step_up_minutes: 5 })).toBe(false)
    expect(isThere({ signed_in_at: NOW })).toBe(false)
  })

  test('is a person in a session, and never a key or a token', () => {
    for (const credential of ['api_key', 'oauth_user', 'oauth_client', 'system'] as const) {
      expect(isThere({ ...shown, credential })).toBe(false)
    }
  })

  test('has not shown a factor by the word of an identity provider, unless an owner lets that replace them', () => {
    for (const mfa_enrolled of [false, true]) {
      expect(isThere({ ...vouched, mfa_enrolled })).toBe(false)
      expect(isThere({ ...vouched, mfa_enrolled }, { idp_mfa_replaces_enrolled: true })).toBe(true)
    }
    const policy = { idp_mfa_replaces_enrolled: true, trust_idp_mfa: false }
    expect(isThere({ ...vouched, mfa_enrolled: true }, policy)).toBe(false)
  })

  test.each([
    ['a key: to sign in', { credential: 'api_key' as const }, /not an API key.*Sign in/],
    ['a person without a factor: to add one', { signed_in_at: NOW }, /your account has none.*add one.*repeat/],
    ['a person with one: to show it', { signed_in_at: NOW, mfa_enrolled: true }, /Show one .*mfa\/verify.*repeat/],
  ])('a refusal tells %s', (_, over, says) => {
    expect(() => mustBeInPerson(of(over), tenant())).toThrow(says)
  })
})

describe('a recent factor', () => {
  const tenant = (step_up_minutes: number) => ({ mfa_policy: MfaPolicy.parse({ step_up_minutes }) })
  const isRecent = (over: Partial<Principal>, minutes = 5) =>
    passes(() => mustHaveRecentFactor(of(over), tenant(minutes)))

  test('was shown within the minutes that the tenant wants', () => {
    expect(isRecent({ mfa_at: NOW - 5 * MINUTE + 1 })).toBe(true)
    expect(isRecent({ mfa_at: NOW - 5 * MINUTE })).toBe(false)
    expect(isRecent({ signed_in_at: NOW })).toBe(false)
    expect(isRecent({ signed_in_at: NOW, idp_mfa: true })).toBe(true)
    expect(isRecent({ signed_in_at: NOW, idp_mfa: true, mfa_enrolled: true })).toBe(false)
  })

  test('is asked of sessions only, and of nobody where it is off', () => {
    expect(isRecent({}, 0)).toBe(true)
    for (const credential of ['api_key', 'oauth_user', 'oauth_client', 'system'] as const) {
      expect(isRecent({ credential })).toBe(true)
    }
  })
})

describe('wrong codes', () => {
  /** One failure after the other, at these minutes. */
  const after = (...minutes: number[]) =>
    minutes.reduce((lock, minute) => afterFailure(lock, minute * MINUTE), UNLOCKED)

  test('lock for 15 minutes at the fifth within five', () => {
    expect(after(0, 1, 2, 3).locked_until).toBe(0)
    expect(after(0, 1, 2, 3, 4.99)).toEqual({ failures: [], locked_until: 19.99 * MINUTE })
  })

  test('are forgotten after five minutes', () => {
    expect(after(0, 1, 2, 3, 5)).toMatchObject({ locked_until: 0 })
    expect(after(0, 1, 2, 3, 5).failures).toHaveLength(4)
  })
})
