import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base32, fromBase32, idPattern, timeOfId, ulid } from '../../../../shared/base/lib/ids.ts'
import { systemRandom } from '../../../../shared/base/lib/clock.ts'

const zeros = (size: number) => new Uint8Array(size)
const ones = (size: number) => new Uint8Array(size).fill(255)

describe('a ULID', () => {
  test('is time and chance in 26 Crockford characters (vector of the ULID specification)', () => {
    expect(ulid(1_469_918_176_385, zeros)).toBe('01ARYZ6S41' + '0'.repeat(16))
    expect(ulid(0, zeros)).toBe('0'.repeat(26))
    expect(ulid(2 ** 48 - 1, ones)).toBe(`7${'Z'.repeat(25)}`)
  })

  test('orders like its instant', () => {
    const instant = fc.integer({ min: 0, max: 2 ** 48 - 1 })
    fc.assert(
      fc.property(instant, instant, (a, b) => a === b || a < b === ulid(a, systemRandom) < ulid(b, systemRandom)),
    )
  })

  test('gives its instant back, with or without a prefix', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (now) => {
        expect(timeOfId(ulid(now, systemRandom))).toBe(now)
        expect(timeOfId(`exe_${ulid(now, systemRandom)}`)).toBe(now)
      }),
    )
  })

  test('differs from every other of the same instant', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => ulid(1, systemRandom))).size).toBe(10_000)
  })
})

test('an id pattern takes ids of its prefix only', () => {
  const pattern = idPattern('exe')

  expect(`exe_${ulid(1_763_000_000_000, systemRandom)}`).toMatch(pattern)
  const id = ulid(1_763_000_000_000, zeros)
  for (const other of [
    `apr_${id}`,
    id,
    `exe_${id}0`,
    `exe_${id.slice(1)}`,
    `exe_${id.toLowerCase()}`,
    `x exe_${id}`,
    `exe_8${id.slice(1)}`,
  ]) {
    expect(other, other).not.toMatch(pattern)
  }
})

test('base32 writes 16 bytes as one number, most significant first', () => {
  expect(base32(zeros(16))).toBe('0'.repeat(26))
  expect(base32(ones(16))).toBe(`7${'Z'.repeat(25)}`)
  expect(base32(Uint8Array.from([...zeros(15), 33]))).toBe(`${'0'.repeat(24)}11`)
})

test('base32 is read back, and nothing else is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      expect(fromBase32(base32(bytes))).toEqual(bytes)
    }),
  )
  for (const wrong of [
    '',
    '0'.repeat(25),
    '0'.repeat(27),
    `8${'0'.repeat(25)}`,
    `${'0'.repeat(25)}U`,
    `${'0'.repeat(25)}o`,
  ]) {
    expect(() => fromBase32(wrong)).toThrow(RangeError)
  }
})
