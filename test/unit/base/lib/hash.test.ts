import { describe, expect, test } from 'vitest'
import { derive, hmacSha256, sameBytes, sha256, sha256Hex } from '../../../../shared/base/lib/json.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('SHA-256 of "abc" (FIPS 180-4)', () => {
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

  expect(sha256Hex('abc')).toBe(digest)
  expect(hex(sha256(Buffer.from('abc')))).toBe(digest)
})

test('HMAC-SHA-256 (RFC 4231, test case 2)', () => {
  expect(hex(hmacSha256('Jefe', 'what do ya want for nothing?'))).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

describe('derived keys', () => {
  test('are HKDF-SHA-256 without salt (RFC 5869, test case 3)', () => {
    expect(hex(derive(new Uint8Array(22).fill(0x0b), ''))).toBe(
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d',
    )
  })

  test('differ by purpose and by root', () => {
    const [root, other] = [new Uint8Array(32), new Uint8Array(32).fill(1)]
    const keys = [derive(root, 'cursor/v1'), derive(root, 'cursor/v2'), derive(other, 'cursor/v1')].map(hex)

    expect(new Set(keys).size).toBe(3)
  })
})

test('bytes are the same only in length and value', () => {
  const bytes = (text: string) => Buffer.from(text)

  expect(sameBytes(bytes('abc'), bytes('abc'))).toBe(true)
  expect(sameBytes(bytes('abc'), bytes('abd'))).toBe(false)
  expect(sameBytes(bytes('abc'), bytes('abcd'))).toBe(false)
  expect(sameBytes(bytes(''), bytes(''))).toBe(true)
})
