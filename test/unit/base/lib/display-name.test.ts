import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { cleanName, isDisplayName } from '../../../../shared/base/lib/names.ts'

const NAMES = [
  'Acme Inc.',
  'größe 日本',
  '山田　太郎', // an ideographic space
  'می‌خواهم', // Persian, with U+200C
  'क्‍ष', // Devanagari, with U+200D
  'ශ්‍රී ලංකා',
  '👩🏽‍🚀 Crew',
  '❤️ Payments',
  '葛\u{E0100}城', // an ideographic variant
  'naïve e\u0301',
  '!',
]

const HIDDEN: [string, string][] = [
  ['a control', 'a\u0000b'],
  ['a line end', 'a\nb'],
  ['C1 controls', 'a\u0085b'],
  ['a bidirectional override', 'a\u202Eb'],
  ['an isolate', 'a\u2066b\u2069'],
  ['a mark of direction', 'a\u200Fb'],
  ['a zero-width space', 'a\u200Bb'],
  ['a word joiner', 'a\u2060b'],
  ['a byte order mark', '\uFEFFa'],
  ['a soft hyphen', 'a\u00ADb'],
  ['a joiner between Latin letters', 'a\u200Db'],
  ['a non-joiner between Latin letters', 'a\u200Cb'],
  ['a joiner at the end', 'می\u200C'],
  ['a tag', 'a\u{E0041}'],
  ['a lone surrogate', 'a\uD800'],
  ['a private character', 'a\uE000'],
  ['a line separator', 'a\u2028b'],
  ['a Hangul filler', 'a\u3164'],
  ['an empty Braille cell', 'a\u2800'],
  ['a grapheme joiner', 'a\u034Fb'],
  ['a variation selector after a letter', 'a\uFE0F'],
]
const BLANK = ['', ' ', '\u00A0', '\u3000', '\u3164', '\u2800', '\u200B', '\u0301']

describe('a name', () => {
  test.each(NAMES)('may be %s, and comes out of cleaning as it is', (name) => {
    expect(isDisplayName(name)).toBe(true)
    expect(cleanName(name, 120)).toBe(name.replaceAll('\u3000', ' '))
  })

  test.each(HIDDEN)('must not hold %s, which cleaning takes out', (_, name) => {
    expect(isDisplayName(name)).toBe(false)
    expect(isDisplayName(cleanName(name, 120))).toBe(true)
  })

  test.each(BLANK)('must not be blank as %j, of which cleaning leaves nothing', (name) => {
    expect(isDisplayName(name)).toBe(false)
    expect(cleanName(name, 120)).toBe('')
  })
})

test('what cleaning leaves is a name or nothing, is no longer than asked, and is not cleaned further', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 })
  const characters = [...HIDDEN, ...NAMES.map((name) => ['', name] as const)].flatMap(([, name]) => [...name])
  const odd = fc.array(fc.constantFrom(...characters)).map((all) => all.join(''))
  fc.assert(
    fc.property(fc.oneof(text, odd), fc.integer({ min: 1, max: 20 }), (name, max) => {
      const cleaned = cleanName(name, max)
      expect(cleaned === '' || isDisplayName(cleaned)).toBe(true)
      expect(cleaned.length).toBeLessThanOrEqual(max)
      expect(cleanName(cleaned, max)).toBe(cleaned)
    }),
  )
})
