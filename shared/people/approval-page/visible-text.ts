// Text that somebody else wrote, made safe to judge by eye: what cannot be seen, turns the direction of reading or imitates
// other letters is replaced by its code point, and counted.

export type VisibleText = { text: string; marks: number }

/** Controls but for line ends, format characters, private use, unassigned, odd spaces, fillers and variation selectors. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0\p{Variation_Selector}]/gu

const WORD = /[\p{L}\p{M}]+/gu
/** Scripts whose letters look like Latin ones. */
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

const markOf = (character: string) =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

export function visibleText(given: string): VisibleText {
  let marks = 0
  const marked = (character: string) => {
    marks += 1
    return markOf(character)
  }
  const seen = given.replaceAll(UNSEEN, (character) => (character === '\n' ? character : marked(character)))
  const text = seen.replaceAll(WORD, (word) => (mixes(word) ? word.replaceAll(ALIKE_ALL, marked) : word))
  return { text, marks }
}

const ALIKE_ALL = new RegExp(LOOK_ALIKE, 'gu')

/** Latin letters beside letters that imitate them, in one word. */
const mixes = (word: string) => /\p{Script=Latin}/u.test(word) && LOOK_ALIKE.test(word)
