import { describe, expect, test } from 'vitest'
import { hashOf } from '../../../../shared/identity/access/one-time.ts'
import { readRefreshToken, refreshToken, type Session, sessions } from '../../../../shared/identity/sessions/session.ts'
import { isAlive, isToBeNoted, judge, mayRefresh, rotation } from '../../../../shared/identity/sessions/live-session.ts'
import { SessionPolicy } from '../../../../shared/base/tenant/tenant.ts'

const T = Date.UTC(2026, 10, 20, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const SID = '0f9d3c52-6a54-4c0e-9b57-3c1d8f1f2a77'

const policyOf = (over: object = {}) => SessionPolicy.parse(over)
const at = (now: number, over: object = {}, tokens_valid_after: string | null = null) => ({
  policy: policyOf(over),
  tokens_valid_after,
  now,
})

const session = (over: Partial<Session> = {}): Session => ({
  sid: SID,
  user_id: '7b1f4c9e-9a41-4b39-8a8d-3d6f6f0f6a11',
  tenant_id: 'ten_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',
  created_at: T,
  last_seen: T,
  abs_exp: T + 7 * DAY,
  refresh_exp: T + 7 * DAY,
  ip: '203.0.113.9',
  country: 'CH',
  user_agent: 'test',
  amr: ['pwd'],
  generation: 1,
  rt: hashOf('0'),
  rotated_at: T,
  older: [],
  state: 'active',
  ...over,
})

describe('a session lives', () => {
  test('until its last millisecond', () => {
    expect(isAlive(session(), at(T + 7 * DAY - 1))).toBe(true)
    expect(isAlive(session(), at(T + 7 * DAY))).toBe(false)
  })

  test('as long as a policy says that became shorter, and no longer for one that became longer', () => {
    expect(isAlive(session(), at(T + HOUR - 1, { lifetime_s: 3_600 }))).toBe(true)
    expect(isAlive(session(), at(T + HOUR, { lifetime_s: 3_600 }))).toBe(false)
    expect(isAlive(session(), at(T + 7 * DAY, { lifetime_s: 2_592_000 }))).toBe(false)
  })

  test('until it was idle for too long, where the policy has such a limit', () => {
    const seen = session({ last_seen: T + HOUR })

    expect(isAlive(seen, at(T + HOUR + 299_999, { idle_s: 300 }))).toBe(true)
    expect(isAlive(seen, at(T + HOUR + 300_000, { idle_s: 300 }))).toBe(false)
    expect(isAlive(seen, at(T + 6 * DAY))).toBe(true)
  })

  test('not when it began before everything of its account was ended', () => {
    expect(isAlive(session(), at(T + 1, {}, new Date(T + 1).toISOString()))).toBe(false)
    expect(isAlive(session(), at(T + 1, {}, new Date(T).toISOString()))).toBe(true)
  })

  test('not when it was revoked', () => {
    expect(isAlive(session({ state: 'revoked' }), at(T))).toBe(false)
    expect(isAlive(session({ state: 'enrol_only' }), at(T))).toBe(true)
  })

  test('and is noted as seen at most once a minute', () => {
    expect(isToBeNoted(session(), T + 59_999)).toBe(false)
    expect(isToBeNoted(session(), T + 60_000)).toBe(true)
  })
})

describe('a refresh token works', () => {
  test('for as long as the policy says, from its last rotation on', () => {
    expect(mayRefresh(session(), at(T + 900_000 - 1, { refresh_ttl_s: 900 }))).toBe(true)
    expect(mayRefresh(session(), at(T + 900_000, { refresh_ttl_s: 900 }))).toBe(false)
    expect(mayRefresh(session({ refresh_exp: T + HOUR }), at(T + HOUR))).toBe(false)
  })

  test('and never outlives its session', () => {
    const late = T + 6 * DAY + 23 * HOUR

    expect(rotation(session(), hashOf('1'), at(late))).toMatchObject({
      refresh_exp: T + 7 * DAY,
      rotated_at: late,
      last_seen: late,
      generation: 2,
      prev_rt: hashOf('0'),
    })
  })
})

/** A session after so many rotations, one a minute. */
function rotated(times: number): Session {
  let one = session()
  for (let i = 1; i <= times; i += 1) {
    one = { ...one, ...rotation(one, hashOf(String(i)), at(T + i * 60_000)) }
  }
  return one
}

describe('a refresh token that is presented', () => {
  const after = rotated(3)
  const last = after.rotated_at

  test.each([
    ['the present one', '3', 0, 'current'],
    ['the one before, within ten seconds', '2', 9_999, 'raced'],
    ['the one before, later', '2', 10_000, 'reused'],
    ['an older one', '0', 1, 'reused'],
    ['one that never was', 'x', 0, 'unknown'],
  ] as const)('%s', (_, secret, later, verdict) => {
    expect(judge(after, hashOf(secret), last + later)).toBe(verdict)
  })

  test('is recognised for eleven rotations', () => {
    const long = rotated(20)
    const known = Array.from({ length: 20 }, (_, i) => judge(long, hashOf(String(i)), long.rotated_at + HOUR))

    expect(known.lastIndexOf('unknown')).toBe(8)
    expect(known.slice(9)).toEqual(Array(11).fill('reused'))
  })
})

test('the item of a session stays below 1 KB, however often it is refreshed', () => {
  const full = {
    ...rotated(1_000),
    ip: '2001:0db8:85a3:08d3:1319:8a2e:0370:7347',
    user_agent: 'u'.repeat(100),
    amr: ['pwd', 'otp', 'mfa'],
    mfa_at: T,
    slo_key: `${'p'.repeat(22)}.${'s'.repeat(22)}`,
  }
  process.env.TABLE_NAME = 'countersign'
  const { Put } = sessions.insert(full).item
  const bytes = Object.entries(Put?.Item ?? {}).reduce((sum, [name, value]) => sum + name.length + sizeOf(value), 0)

  expect(bytes).toBeLessThan(1_024)
})

/** As DynamoDB counts: texts by their bytes, numbers by half their digits, lists with three bytes and one per element. */
function sizeOf({ S, N, L, NULL }: { S?: string; N?: string; L?: object[]; NULL?: boolean }): number {
  if (S !== undefined) return Buffer.byteLength(S)
  if (N !== undefined) return Math.ceil(N.length / 2) + 1
  if (L !== undefined) return L.reduce((sum, one) => sum + 1 + sizeOf(one), 3)
  return NULL ? 1 : 0
}

describe('the form of a refresh token', () => {
  const secret = 'A'.repeat(43)

  test('names its session, and of its secret only a hash is kept', () => {
    expect(readRefreshToken(refreshToken(SID, secret))).toEqual({ sid: SID, hash: hashOf(secret) })
  })

  test.each([
    '',
    'rt_',
    `rt_${SID}`,
    `rt_${SID}.${secret}A`,
    `rt_${SID}.${secret.slice(1)}`,
    `rt_${SID.toUpperCase()}.${secret}`,
    `rt_${SID}.${secret}\n`,
    ` rt_${SID}.${secret}`,
    `rt_${SID.replace('-', '#')}.${secret}`,
  ])('anything else is none: %j', (text) => {
    expect(readRefreshToken(text)).toBeUndefined()
  })
})
