// Splits a command into clauses, at punctuation, line breaks and conjunctions. Punctuation inside a word, number, file name or
// link does not split.
import { ADVERBS, CONJUNCTIONS } from './lexicon-plain.ts'
import { fold, tokensOf } from './tokens.ts'
import { wordSet } from './words.ts'

/** Replaces the sign before a channel or person (`#general`, `@ann`). */
export const HANDLE = '@'

/** Stands before a link or host, which may receive what is read. */
const PLACE = 'internet'

const borders = new Set([...wordSet(CONJUNCTIONS), ...wordSet(ADVERBS)])

const LINK = /(?<!\S)https?:\/\/[^\s"'<>;|()]+/gi
const FILE_NAME = /\.(?=(?:pdf|csv|txt|md|json|ya?ml|xml|html?|docx?|xlsx?|pptx?|png|jpe?g|log|ts|js|py)\b)/gi
const HOST = /(?<![\p{L}\p{N}.@/-])(?:[\p{L}\p{N}-]+\.)+(?:com|org|net|io|dev|app|eu|de|uk|example)\b/giu
const MONEY_SIGN = /[$\u20ac\u00a3\u00a5\u20b9\u20bf]/g

const wordsOnly = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')

/** Removes punctuation that does not split: inside links, addresses and file names. Signs of money and channels become words. */
const spellOut = (text: string) =>
  text
    .replaceAll(/\be-mail/g, 'email')
    .replaceAll(LINK, (link) => ` ${PLACE} ${wordsOnly(link)} `)
    .replaceAll(
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+/gu,
      (address) => ` mailbox ${wordsOnly(address)} `,
    )
    .replaceAll(HOST, (host) => ` ${PLACE} ${wordsOnly(host)} `)
    .replaceAll(FILE_NAME, ' ')
    .replaceAll(MONEY_SIGN, ' dollars ')
    .replaceAll(/(?<![\p{L}\p{N}])[#@](?=\p{L})/gu, ` ${HANDLE} `)

/** Splits at punctuation and line breaks, except inside a word or a number. */
const pieces = (text: string) =>
  text.split(
    /[^\p{L}\p{N}\p{M}\s.,:'\u2019/_=%\u00b0\u00a7#@-]|[\n\r\v\f\u0085\u2028\u2029]|[.,:](?!\p{N})|(?<!\p{N})[.,:]|(?<![\p{L}\p{N}])['\u2019-]|['\u2019-](?![\p{L}\p{N}])|(?<=\s)[/=](?=\s)/u,
  )

const tokensIn = (piece: string) =>
  piece.split(HANDLE).flatMap((part, i) => [...(i > 0 ? [HANDLE] : []), ...tokensOf(part)])

function splitAtWords(tokens: readonly string[]): string[][] {
  const clauses: string[][] = [[]]
  for (const token of tokens) {
    if (borders.has(token)) clauses.push([])
    else clauses.at(-1)?.push(token)
  }
  return clauses.filter((clause) => clause.length > 0)
}

/** The words of each clause, in lower case. Words with an invisible character between them are read both joined and apart. */
export function clausesOf(command: string): string[][] {
  const apart = command.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ' ')
  const texts = apart === command ? [command] : [command, apart]
  const all = texts.flatMap((text) => pieces(spellOut(fold(text).toLowerCase())))
  return all.flatMap((piece) => splitAtWords(tokensIn(piece)))
}
