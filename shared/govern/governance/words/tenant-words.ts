// A tenant's own words. A word of a stricter kind raises an action wherever it stands, in any form. A looser one counts exactly as
// it is spelled, and only where the built-in lexicon does not know the word, so it can explain an unknown action but excuses no
// known one.
import { byKind, isHigher, isStricter, type Kind, KINDS } from '../../../base/catalog/kinds.ts'
import { attached } from '../../../base/lib/memory.ts'
import { withCompounds } from './compounds.ts'
import type { LexiconWords } from '../stored-rules.ts'
import { higherReading, type Reading, readingOf } from './readings.ts'
import { fold } from './tokens.ts'
import { formsOf, lookUp, type TenantWords, type Word, wordOf } from './words.ts'

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

/** Words without effect, because the built-in lexicon or a stricter word of the tenant is read in their place. */
export function lexiconWarnings(words: LexiconWords): string[] {
  const { raising } = compiled(words)
  return entriesOf(words).flatMap(({ word, kind }) => {
    const [built] = withCompounds(lookUp([word]))
    if (built?.word && !isHigher(kind, built.word.kind)) {
      const { lemma, kind: known } = built.word
      return [
        `${word} ${lemma === word ? 'is' : `is read as ${lemma}, which is`} built in as ${known}, so ${kind} has no effect.`,
      ]
    }
    const stricter = raising.get(rough(word))
    return stricter && isHigher(stricter.kind, kind)
      ? [
          `${word} looks like a form of ${stricter.lemma}, which you list as ${stricter.kind}. Other forms of both are read as ${stricter.kind}.`,
        ]
      : []
  })
}

/** `exact`: by spelling. `raising`: stricter words by the rough spelling of all their forms. */
type Compiled = { exact: TenantWords; raising: TenantWords }

const kept = attached<LexiconWords, Compiled>()

function compiled(words: LexiconWords): Compiled {
  const known = kept.get(words)
  if (known) return known
  const exact = new Map<string, Word>()
  const raising = new Map<string, Word>()
  for (const { word: lemma, kind, verb } of entriesOf(words)) {
    const word: Word = { lemma, kind, verb, noun: !verb, adjective: false, form: 'plain' }
    exact.set(lemma, word)
    if (!isStricter(KINDS[kind].tier, 'AUTO')) continue
    for (const form of looseFormsOf(lemma)) {
      const other = raising.get(form)
      if (!other || isHigher(kind, other.kind)) raising.set(form, word)
    }
  }
  kept.set(words, { exact, raising })
  return { exact, raising }
}

const ENDINGS = ['e', 'n', 'en', 'er']
const STEM_MIN = 4

/** English forms and, for words of some length, common endings of other languages. */
const looseFormsOf = (lemma: string): string[] => [
  ...formsOf(lemma).map(([form]) => rough(form)),
  ...(lemma.length < STEM_MIN ? [] : ENDINGS.map((ending) => rough(lemma + ending))),
]

/** The same for both ways to write an umlaut, whose dots `fold` has taken away. */
const rough = (token: string): string => token.replaceAll('ß', 'ss').replace(/(?<=[aou])e/g, '')

/** The tenant's words as they are spelled. */
export const compileLexicon = (words: LexiconWords): TenantWords => compiled(words).exact

/** The strictest of the tenant's words among the tokens, in any form, that the built-in lexicon reads more loosely. */
export function raisedByTenant(words: LexiconWords, tokens: readonly string[], only?: 'verbs'): Reading | undefined {
  const { exact, raising } = compiled(words)
  return tokens
    .flatMap((token) => {
      const word = exact.get(token) ?? raising.get(rough(token))
      if (!word || (only && !word.verb)) return []
      const built = wordOf(token)
      return isStricter(KINDS[word.kind].tier, 'AUTO') && (!built || isHigher(word.kind, built.kind))
        ? readingOf(word)
        : []
    })
    .reduce<Reading | undefined>(higherReading, undefined)
}
