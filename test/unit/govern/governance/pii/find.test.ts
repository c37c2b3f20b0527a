import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PII_TYPES } from '../../../../../shared/base/catalog/measure-words.ts'
import { findPii } from '../../../../../shared/govern/governance/pii/find.ts'
import { runs } from '../../../../support/runs.ts'

test('findings never overlap, and the more certain type keeps the place', () => {
  expect(findPii('phone 4111 1111 1111 1111')).toEqual([{ type: 'CREDIT_CARD', start: 6, end: 25 }])
  expect(findPii('dob 536-90-4399').map(({ type }) => type)).toEqual(['US_SSN'])
})

test('any text is searched, and every finding lies inside it', () => {
  const pieces = fc.constantFrom(
    '@',
    '.',
    ':',
    '+',
    '-',
    ' ',
    '1',
    '4111',
    'a',
    'eyJ',
    'DE89',
    '::',
    'phone',
    '%',
    '\n',
    'é',
    '😀',
  )

  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join('')
      let taken = new Set<number>()
      for (const { type, start, end } of findPii(text, 'phone')) {
        expect(PII_TYPES).toContain(type)
        expect(start >= 0 && start < end && end <= text.length).toBe(true)
        const places = Array.from({ length: end - start }, (_, i) => start + i)
        expect(places.some((place) => taken.has(place))).toBe(false)
        taken = taken.union(new Set(places))
      }
    }),
    runs(300),
  )
})

test('no value leaves with a finding', () => {
  expect(findPii('ann@example.com').map((finding) => Object.keys(finding))).toEqual([['type', 'start', 'end']])
})
