import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { eachToken, featuresOf, fnv1a, minus } from '../../../../shared/base/scorer/features.ts'
import { tokensOf } from './tokens.ts'

const CONTEXT = 'shop.billing.refunds/refund_payment'
const PAYLOAD = { amount: 120, currency: 'EUR', note: 'Late fee 2025', lines: [{ sku: 'A1' }], urgent: true }

test('the hash is FNV-1a of 32 bits over UTF-8', () => {
  expect(fnv1a('foobar')).toBe(0xbf9cf968 | 0)
  expect(fnv1a('bar', fnv1a('foo'))).toBe(0xbf9cf968 | 0)
  expect(fnv1a(CONTEXT)).toBe(0xba5c479d | 0)
  expect(fnv1a(CONTEXT) & 0xffff).toBe(18_333)
  const bytes = [...Buffer.from('Grüße €')].reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5 | 0)
  expect(fnv1a('Grüße €')).toBe(bytes)
})

function hashesOf(context: string, payload: unknown): number[] {
  const hashes: number[] = []
  eachToken(context, payload, (hash) => hashes.push(hash))
  return hashes
}

test('the hashes are those of the tokens', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (context, payload) => {
      expect(hashesOf(context, payload)).toEqual(tokensOf(context, payload).map((token) => fnv1a(token)))
    }),
  )
})

test('each leaf of a payload gives tokens, with its path', () => {
  const tokens = tokensOf(CONTEXT, PAYLOAD)
  expect(hashesOf(CONTEXT, PAYLOAD)).toEqual(tokens.map((token) => fnv1a(token)))

  expect(tokens).toHaveLength(20)
  expect(tokens.map((token) => token.slice(CONTEXT.length + 1))).toEqual([
    '',
    ...[0, 1, 2, 5, 10, 25, 50, 100].map((threshold) => `/amount>=${threshold}`),
    '/currency:eur',
    '/note:late',
    '/note:late fee',
    '/note:fee',
    '/note:fee <n>',
    '/note:<n>',
    '/lines#1',
    '/lines/[]/sku:a',
    '/lines/[]/sku:a <n>',
    '/lines/[]/sku:<n>',
    '/urgent=true',
  ])
})

test('features are hashed tokens with signs, of length 1', () => {
  const { indices, values } = featuresOf(CONTEXT, PAYLOAD)

  expect(indices).toHaveLength(20)
  expect(indices[0]).toBe(1082)
  expect(values[0]).toBeCloseTo(-0.223607, 6)
  expect(values[indices.indexOf(18_333)]).toBeLessThan(0)
})

test.each([
  [null, ['=null']],
  [[], ['#0']],
  [Array(12).fill(false), ['#8', ...Array(12).fill('/[]=false')]],
  [-1, []],
  [5000, [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000].map((threshold) => `>=${threshold}`)],
  [{ 'a/b~': null }, ['/a~1b~0=null']],
  ['Ⅷ ﬁne', [':viii', ':viii fine', ':fine']],
])('%j gives its tokens', (payload, rests) => {
  const tokens = ['c', ...rests.map((rest) => `c ${rest}`)]
  expect(hashesOf('c', payload)).toEqual(tokens.map((token) => fnv1a(token)))
})

test('of a text the first 64 words count', () => {
  expect(hashesOf('c', 'word '.repeat(1_000))).toHaveLength(1 + 64 + 63)
})

test('the order of members changes nothing, and each vector has length 1', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
      const { indices, values } = featuresOf('n/a', payload)
      const turned = Object.fromEntries(Object.entries(payload).toReversed())
      expect(featuresOf('n/a', turned)).toEqual({ indices, values })
      const length = Math.hypot(...values)
      expect(length === 0 || Math.abs(length - 1) < 1e-9).toBe(true)
    }),
  )
})

test('a vector less itself is 0', () => {
  const features = featuresOf(CONTEXT, PAYLOAD)
  expect(minus(features, features).values.every((value) => value === 0)).toBe(true)
  expect(minus(features, featuresOf('other/action', {})).indices).toHaveLength(21)
})
