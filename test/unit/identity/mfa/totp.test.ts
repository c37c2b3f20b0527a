import { describe, expect, test } from 'vitest'
import { codeAt, otpauthUri, readBase32, stepAt, stepOfCode, toBase32 } from '../../../../shared/identity/mfa/totp.ts'

/** The secret of RFC 6238 appendix B, and of RFC 4226 appendix D. */
const secret = Buffer.from('12345678901234567890')

describe('codes', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('are those of RFC 6238 appendix B at second %i', (second, code) => {
    expect(codeAt(secret, stepAt(second * 1_000), 8)).toBe(code)
  })

  test('are those of RFC 4226 appendix D', () => {
    const codes = Array.from({ length: 10 }, (_, counter) => codeAt(secret, counter)).join(' ')

    expect(codes).toBe('755224 287082 359152 969429 338314 254676 287922 162583 399871 520489')
  })
})

describe('a code is accepted', () => {
  const now = 1_111_111_111_000
  const present = stepAt(now)
  const verdict = (step: number, usedUpTo = 0) => stepOfCode(secret, codeAt(secret, step), { now, usedUpTo })

  test('one step before and after its own, and no further', () => {
    expect([-2, -1, 0, 1, 2].map((offset) => verdict(present + offset))).toEqual([
      undefined,
      present - 1,
      present,
      present + 1,
      undefined,
    ])
  })

  test('once: its step and those before it are spent', () => {
    expect(verdict(present, present)).toBeUndefined()
    expect(verdict(present - 1, present)).toBeUndefined()
    expect(verdict(present + 1, present)).toBe(present + 1)
  })

  test.each(['', '00000', '0000000', 'abcdef', '１２３４５６'])('never when it is none: %j', (code) => {
    expect(stepOfCode(secret, code, { now, usedUpTo: 0 })).toBeUndefined()
  })
})

describe('base32', () => {
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %j is that of RFC 4648 section 10, without padding', (text, encoded) => {
    expect(toBase32(Buffer.from(text))).toBe(encoded)
  })

  test('is read as people type it', () => {
    expect(readBase32(' mzxw-6ytb 01')).toBe('MZXW6YTBOI')
  })
})

test('the URI names issuer, account and secret', () => {
  expect(otpauthUri(secret, 'anna+work@example.com')).toBe(
    'otpauth://totp/Countersign:anna%2Bwork%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Countersign&algorithm=SHA1&digits=6&period=30',
  )
})
