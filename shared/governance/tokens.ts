// Text to lower-case words. Case, separators, accents and invisible characters never change what a name says.

const ASCII = /^\p{ASCII}*$/u
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{M}]/gu
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lt}\p{Lm}]+|\p{N}+/gu
const ASCII_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
const RUN = /[\p{L}\p{N}]+/gu

/** Compatibility forms resolved, accents and everything invisible dropped. */
export const fold = (text: string): string =>
  ASCII.test(text) ? text : text.normalize('NFKD').replace(INVISIBLE, '').normalize('NFC')

/** The words of a text, split at separators, digits and camelCase. */
export function tokensOf(text: string): string[] {
  const folded = fold(text)
  const words = folded.match(ASCII.test(folded) ? ASCII_WORD : WORD) ?? []
  return words.map((word) => word.toLowerCase())
}

/** The same without camelCase, so that odd capitals hide no word. */
export const caselessTokensOf = (text: string): string[] =>
  (fold(text).match(RUN) ?? []).map((run) => run.toLowerCase())

const LATIN = /\p{Script=Latin}/u
// Scripts that are written together with Latin letters by custom (UTS #39, "highly restrictive"), and signs of no script.
const NO_LOOKALIKE =
  /[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}\p{N}]/gu

/** Whether one word mixes Latin letters with letters of a script that can imitate them. */
export function mixesScripts(text: string): boolean {
  if (ASCII.test(text)) return false
  // The micro sign is a unit, but its compatibility form is a Greek letter.
  return (fold(text.replaceAll('\u00b5', 'u')).match(RUN) ?? []).some(
    (run) => LATIN.test(run) && run.replace(NO_LOOKALIKE, '') !== '',
  )
}
