import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digestOf, makeApiKey, modeOfKey } from '../../../../shared/identity/access/api-key.ts'
import { systemRandom } from '../../../../shared/base/lib/clock.ts'
import { runs } from '../../../support/runs.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const VECTORS = [
  ['ak_test_0000000000000000000000000000000001s5zib', 'test'],
  ['ak_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345640lJE3', 'live'],
] as const
const [LIVE] = VECTORS[1]

test.each(VECTORS)('the published key %s is well-formed and of mode %s', (key, mode) => {
  expect(modeOfKey(key)).toBe(mode)
})

describe('a new key', () => {
  test('has the published form', () => {
    for (const mode of ['live', 'test'] as const) {
      const key = makeApiKey(mode, systemRandom)
      expect(key).toMatch(new RegExp(`^ak_${mode}_[0-9A-Za-z]{39}$`))
      expect(key).toHaveLength(47)
      expect(modeOfKey(key)).toBe(mode)
    }
  })

  test('is 24 random bytes as one number, most significant first, padded with 0', () => {
    const bytes = (fill: (at: number) => number) => (size: number) =>
      Uint8Array.from({ length: size }, (_, at) => fill(at))

    expect(
      makeApiKey(
        'test',
        bytes((at) => (at === 23 ? 0 : 0)),
      ).slice(0, 41),
    ).toBe(`ak_test_${'0'.repeat(33)}`)
    expect(
      makeApiKey(
        'test',
        bytes((at) => (at === 23 ? 62 : 0)),
      ).slice(0, 41),
    ).toBe(`ak_test_${'0'.repeat(31)}10`)
    const [first, second] = [bytes((at) => (at === 0 ? 1 : 0)), bytes((at) => (at === 0 ? 2 : 0))].map((random) =>
      makeApiKey('live', random),
    )
    expect((first ?? '') < (second ?? '')).toBe(true)
  })

  test('is unlike all others', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => makeApiKey('live', systemRandom))).size).toBe(1_000)
  })
})

describe('a mistyped key', () => {
  test('is refused for every single wrong character of the vectors', () => {
    for (const [key] of VECTORS) {
      for (let at = 0; at < key.length; at += 1) {
        for (const other of ALPHABET) {
          if (other === key[at]) continue
          expect(modeOfKey(key.slice(0, at) + other + key.slice(at + 1)), `${other} at ${at}`).toBeUndefined()
        }
      }
    }
  })

  test('is refused with one wrong character, or two neighbours swapped, for every key', () => {
    const typo = fc.record({
      seed: fc.uint8Array({ minLength: 24, maxLength: 24 }),
      at: fc.integer({ min: 8, max: 45 }),
      other: fc.constantFrom(...ALPHABET.split('')),
    })
    fc.assert(
      fc.property(typo, ({ seed, at, other }) => {
        const key = makeApiKey('live', () => seed)
        const wrong = key.slice(0, at) + other + key.slice(at + 1)
        const swapped = key.slice(0, at) + (key[at + 1] ?? '') + (key[at] ?? '') + key.slice(at + 2)
        for (const text of [wrong, swapped]) expect(modeOfKey(text)).toBe(text === key ? 'live' : undefined)
      }),
      runs(500),
    )
  })

  test.each([
    '',
    'ak_live_',
    LIVE.slice(0, -1),
    `${LIVE}0`,
    ` ${LIVE}`,
    `${LIVE}\n`,
    LIVE.replace('live', 'prod'),
    LIVE.replace('ak', 'AK'),
    LIVE.replace('live', 'test'),
  ])('is refused as %j', (text) => {
    expect(modeOfKey(text)).toBeUndefined()
  })
})

test('what is stored of a key depends on key and pepper, and can be part of a table key', () => {
  const digests = [digestOf('pepper', LIVE), digestOf('other pepper', LIVE), digestOf('pepper', VECTORS[0][0])]

  expect(new Set(digests).size).toBe(3)
  for (const digest of digests) expect(digest).toMatch(/^[\w-]{43}$/)
})
