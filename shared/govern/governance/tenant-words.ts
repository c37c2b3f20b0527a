// A tenant's own words. A word of a stricter kind raises an action wherever it stands. A looser one counts only where the built-in
// lexicon does not know the word, so it can explain an unknown action but excuses no known one.
import { byKind, isHigher, isStricter, KINDS, type Kind } from '../../base/catalog/kinds.ts'
import type { LexiconWords } from './lexicon-words.ts'
import { higherReading, type Reading, readingOf } from './readings.ts'
import { fold } from './tokens.ts'
import { type TenantWords, type Word, wordOf } from './words.ts'

export const WORDS_MAX = 2_000
const WORD = /^[\p{L}\p{M}]{2,40}$/u

/** A word as the tokens of names are spelled. */
export const spelled = (word: string): string => fold(word.normalize('NFKC')).toLowerCase()

type Entry = { word: string; kind: Kind; verb: boolean; path: string[] }

const listed = (list: 'verbs' | 'nouns', table: LexiconWords['verbs']): Entry[] =>
  byKind(table).flatMap(([kind, words]) =>
    words.map((word, i) => ({ word: spelled(word), kind, verb: list === 'verbs', path: [list, kind, String(i)] })),
  )

const entriesOf = ({ verbs, nouns, read_nouns }: LexiconWords): Entry[] => [
  ...listed('verbs', verbs),
  ...listed('nouns', nouns),
  ...read_nouns.map((word, i): Entry => ({
    word: spelled(word),
    kind: 'read',
    verb: false,
    path: ['read_nouns', String(i)],
  })),
]

/** Whether the built-in lexicon knows a word whose own kind must stay. */
function loosensHard({ word, kind }: Entry): boolean {
  const built = wordOf(word)
  return (
    built !== undefined && built.kind !== 'unknown' && KINDS[built.kind].tier === 'HARD' && isHigher(built.kind, kind)
  )
}

/** What cannot be saved, with its place. */
export function lexiconProblems(words: LexiconWords): { path: string[]; message: string }[] {
  const entries = entriesOf(words)
  if (entries.length > WORDS_MAX) return [{ path: [], message: `must not hold more than ${WORDS_MAX} words` }]
  const seen = new Set<string>()
  return entries.flatMap((entry) => {
    const { word, path } = entry
    const isTwice = seen.has(word)
    seen.add(word)
    if (!WORD.test(word)) return [{ path, message: 'must be one word of 2 to 40 letters' }]
    if (isTwice) return [{ path, message: 'must stand in one list only' }]
    return loosensHard(entry)
      ? [{ path, message: 'is built in as a word that needs approval, and cannot be looser' }]
      : []
  })
}

/** Words without effect, because the built-in lexicon knows them as at least as strict. */
export const lexiconWarnings = (words: LexiconWords): string[] =>
  entriesOf(words).flatMap(({ word, kind }) => {
    const built = wordOf(word)
    return built && !isHigher(kind, built.kind)
      ? [`${word} is built in as ${built.kind}, so ${kind} has no effect.`]
      : []
  })

export const compileLexicon = (words: LexiconWords): TenantWords =>
  new Map(
    entriesOf(words).map(({ word, kind, verb }): [string, Word] => [
      word,
      { lemma: word, kind, verb, noun: !verb, adjective: false, form: 'plain' },
    ]),
  )

/** The strictest of the tenant's words among the tokens that the built-in lexicon reads more loosely. */
export function raisedByTenant(words: TenantWords, tokens: readonly string[], only?: 'verbs'): Reading | undefined {
  return tokens
    .flatMap((token) => {
      const word = words.get(token)
      if (!word || (only && !word.verb)) return []
      const built = wordOf(token)
      return isStricter(KINDS[word.kind].tier, 'AUTO') && (!built || isHigher(word.kind, built.kind))
        ? readingOf(word)
        : []
    })
    .reduce<Reading | undefined>(higherReading, undefined)
}
