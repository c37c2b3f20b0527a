// Names that people read when they decide: of organisations, people, keys, applications, nodes. Two names that look the same must not
// hide a difference, and no name may look like nothing or turn the text around it.

/** Scripts that write words with joiners: U+200C and U+200D between two of their letters are spelling. */
const JOINING =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}' +
  '\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}' +
  '\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Myanmar}\\p{Script=Khmer}'
/** U+200D also joins two pictures into one. */
const PICTURE = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f'

/**
 * Controls, format characters (bidirectional marks, zero-width signs, tags), lone surrogates, private and unassigned characters, line and
 * paragraph separators, fillers without a shape, and variation selectors that follow nothing that varies.
 */
const UNSEEN = new RegExp(
  [
    '(?![\\u200c\\u200d])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]',
    `(?<![${JOINING}])\\u200c|\\u200c(?![${JOINING}])`,
    `(?<![${JOINING}${PICTURE}])\\u200d|\\u200d(?![${JOINING}${PICTURE}])`,
    '[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0]',
    '(?<![\\p{Extended_Pictographic}\\p{Script=Han}\\p{Script=Mongolian}])\\p{Variation_Selector}',
  ].join('|'),
  'gu',
)
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Whether every character of the name can be seen, and there is one. */
export const isDisplayName = (text: string): boolean => SEEN.test(text) && text.search(UNSEEN) === -1

/** A name from elsewhere without what cannot be seen; empty when nothing is left. */
export function cleanName(text: string, max: number): string {
  const seen = text.toWellFormed().replaceAll(UNSEEN, ' ').replaceAll(/\s+/gu, ' ').trim()
  const cut = seen.slice(0, max).toWellFormed().replaceAll(UNSEEN, '').trim() // the cut may part what belongs together
  return SEEN.test(cut) ? cut : ''
}

/** `major.minor.patch` without leading zeros. Parts have at most five digits, so that padded versions sort by number. */
export const SEMVER = /^(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})$/

/** `1.10.0` → `00001.00010.00000`, whose text order is the version order. */
export const sortableVersion = (version: string): string =>
  version
    .split('.')
    .map((part) => part.padStart(5, '0'))
    .join('.')
