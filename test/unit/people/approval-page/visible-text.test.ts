import { describe, expect, test } from 'vitest'
import { visibleText } from '../../../../shared/people/approval-page/decision-form.ts'

describe('text that somebody else wrote', () => {
  test.each([
    ['a direction that turns', 'pay \u202egpj.exe', 'pay ⟨U+202E⟩gpj.exe'],
    ['a space without width', 'ad\u200bmin', 'ad⟨U+200B⟩min'],
    ['a control', 'a\u0007b', 'a⟨U+0007⟩b'],
    ['a tag', 'ok\u{e0041}', 'ok⟨U+E0041⟩'],
    ['a filler', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['half a pair', 'a\ud800', 'a⟨U+D800⟩'],
    ['a Cyrillic letter in a Latin word', 'p\u0430ypal', 'p⟨U+0430⟩ypal'],
    ['a Greek letter in a Latin word', 'Amaz\u03bfn', 'Amaz⟨U+03BF⟩n'],
  ])('shows %s by its number', (_, given, text) => {
    expect(visibleText(given)).toEqual({ text, marks: 1 })
  })

  test.each(['Zoë zahlt 12,50 €', 'Привет, мир', 'Γειά', '東京 😀', 'line\nline', '{"a":"\\u0000"}'])(
    'leaves %s as it is',
    (text) => {
      expect(visibleText(text)).toEqual({ text, marks: 0 })
    },
  )
})
