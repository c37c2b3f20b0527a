// The parts of speech of the grammar of commands. A word in none of its lists is unknown.
import * as commands from './lexicon-commands.ts'
import { ALSO_ADJECTIVES } from './lexicon.ts'
import { READ_NOUNS, THINGS } from './lexicon-names.ts'
import { CURRENCIES, MONEY, PLAIN } from './lexicon-plain.ts'
import { formsOf, tierOf, type Word, wordOf, wordSet } from './words.ts'

const plural = (noun: string) =>
  formsOf(noun)
    .filter(([, form]) => form === 's')
    .map(([form]) => form)

type Vocabulary = Record<
  | 'singulars'
  | 'plurals'
  | 'adjectives'
  | 'participles'
  | 'states'
  | 'reports'
  | 'possessions'
  | 'readables'
  | 'testables',
  ReadonlySet<string>
>

function makeVocabulary(): Vocabulary {
  const nouns = new Set([PLAIN, commands.NOUNS, READ_NOUNS, THINGS].flatMap((words) => [...wordSet(words)]))
  const plurals = new Set([...nouns].flatMap(plural))
  const singulars = new Set([...nouns].filter((noun) => !plurals.has(noun)))
  const withPlurals = (words: string) => new Set([...wordSet(words)].flatMap((word) => [word, ...plural(word)]))
  return {
    singulars,
    plurals,
    adjectives: new Set([...wordSet(commands.ADJECTIVES), ...wordSet('first second third last latest next')]),
    participles: wordSet(commands.PARTICIPLES),
    states: wordSet(commands.STATES),
    reports: wordSet(commands.REPORTS),
    possessions: withPlurals(commands.POSSESSIONS),
    readables: wordSet(commands.READABLES),
    testables: wordSet(commands.TESTABLES),
  }
}

let made: Vocabulary | undefined

/** Built on first use, because most functions read no commands. */
export const vocabulary = (): Vocabulary => (made ??= makeVocabulary())

const money = new Set([...wordSet(MONEY), ...wordSet(CURRENCIES)])
const alsoAdjectives = wordSet(ALSO_ADJECTIVES)

/** Whether a word is money, or a unit of it. */
export const isMoneyWord = (text: string): boolean => money.has(text)

/** Both parts of `two-factor`, and the owner in `manager's`. */
const piecesOf = (text: string) => text.replace(/'s$/, '').split(/[-_]/)

const isNounOfLexicon = (word: Word | undefined) =>
  word !== undefined && word.noun && !alsoAdjectives.has(word.lemma) && (word.form === 'plain' || word.form === 's')

const isOneNoun = (text: string) =>
  text.startsWith('\u00b0') ||
  (!money.has(text) &&
    (vocabulary().singulars.has(text) || vocabulary().plurals.has(text) || isNounOfLexicon(wordOf(text))))

const isOneAdjective = (text: string) => vocabulary().adjectives.has(text) || /^\d+$/.test(text)

/** The form of a verb that describes what something was done to. */
export const isParticiple = (text: string): boolean =>
  vocabulary().participles.has(text) || (wordOf(text)?.form === 'ed' && wordOf(text)?.verb === true)

/** Whether a participle says that an act which needs approval was done. */
export const isGrave = (text: string): boolean => {
  const word = wordOf(text)
  return word !== undefined && word.kind !== 'unknown' && tierOf(word) === 'HARD'
}

const isModifier = (text: string) => isOneNoun(text) || isOneAdjective(text) || isParticiple(text)

export function isNoun(text: string): boolean {
  if (isOneNoun(text)) return true
  const pieces = piecesOf(text)
  return pieces.length > 1 && pieces.every(isModifier) && isOneNoun(pieces.at(-1) ?? '')
}

export function isAdjective(text: string): boolean {
  if (isOneAdjective(text) || wordOf(text)?.adjective === true) return true
  const pieces = piecesOf(text)
  return pieces.length > 1 && pieces.every(isModifier)
}

/** Whether a noun is the plural of another. */
export const isPlural = (text: string): boolean =>
  !vocabulary().singulars.has(text) && (vocabulary().plurals.has(text) || wordOf(text)?.form === 's')

/** An identifier such as `eu-west-1`, `v1.2` or `INV-2041`: with a digit, and otherwise of known or short words. */
export const isIdentifier = (text: string): boolean =>
  /\d/.test(text) && (text.match(/\p{L}+/gu) ?? []).every((piece) => piece.length <= 3 || isModifier(piece))
