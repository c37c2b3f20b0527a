// Splits text into lower-case words, and finds which kinds of characters a text holds. Case, separators, accents and invisible characters
// do not change the meaning of a name.
// Patterns over Unicode classes are written where they are used: they are slow to build, and ASCII text does not need them.

const ASCII = /^\p{ASCII}*$/u

export const isAscii = (text: string): boolean => ASCII.test(text)

const visibleOf = (text: string) => text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}]/gu, '')

/** The text in compatibility form, without accents and invisible characters. */
export const fold = (text: string): string =>
  ASCII.test(text) ? text : visibleOf(text.normalize('NFKD')).normalize('NFC')

const asciiWordsOf = (text: string) => text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? []

const wordsOf = (text: string) => text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lt}\p{Lm}]+|\p{N}+/gu) ?? []

/** The runs of letters and digits of a text, in its compatibility form. */
export const runsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** The words of a text, split at separators, digits and camelCase. */
export function tokensOf(text: string): string[] {
  const folded = fold(text)
  const words = ASCII.test(folded) ? asciiWordsOf(folded) : wordsOf(folded)
  return words.map((word) => word.toLowerCase())
}

/** The words of a text without splitting camelCase, so that unusual capitals do not hide a word. */
export const caselessTokensOf = (text: string): string[] => runsOf(text).map((run) => run.toLowerCase())

/** Whether a text has both lower-case and upper-case letters. */
export const mixesCase = (text: string): boolean =>
  ASCII.test(text) ? /[A-Z].*[a-z]|[a-z].*[A-Z]/.test(text) : /\p{Lu}.*\p{Ll}|\p{Ll}.*\p{Lu}/u.test(text)

/**
 * The letters that could imitate Latin ones: without the scripts that are customarily mixed with Latin (UTS #39, "highly
 * restrictive") and without characters of no script.
 */
const lookalikesOf = (text: string) =>
  text.replace(
    /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}\p{N}]/gu,
    '',
  )

/** Whether one word mixes Latin letters with letters of a script that can imitate them. */
export function mixesScripts(text: string): boolean {
  if (ASCII.test(text)) return false
  // The micro sign is a unit, but its compatibility form is a Greek letter.
  const runs = runsOf(text.replaceAll('\u00b5', 'u'))
  return runs.some((run) => /\p{Script=Latin}/u.test(run) && lookalikesOf(run) !== '')
}

/** Kinds of characters, as bits of a number. */
export const CHARACTERS = { digit: 1, address: 2, link: 4, code: 8 }

/** No character of a kind means: no mail address or IPv6 address, no link, no program but one that begins with a known word. */
const KINDS: readonly [kind: number, characters: RegExp][] = [
  [CHARACTERS.digit, /\d/],
  [CHARACTERS.address, /[@:]/],
  [CHARACTERS.link, /[/:%]/],
  [CHARACTERS.code, /[^ -~]|[#$(:;<=>{|]/],
]
const ALL = 15

const ASCII_CODES = 128
const kinds = Uint8Array.from({ length: ASCII_CODES }, (_, code) =>
  KINDS.reduce((all, [kind, characters]) => (characters.test(String.fromCharCode(code)) ? all | kind : all), 0),
)

/**
 * The kinds of characters in a text, in one pass, so that a search begins only where it can find something. A character beyond ASCII
 * may be of any kind.
 */
export function charactersOf(text: string): number {
  let found = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    found |= code < ASCII_CODES ? (kinds[code] ?? 0) : ALL
  }
  return found
}
