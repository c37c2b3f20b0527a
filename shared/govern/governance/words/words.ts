// Looks a word up in the lexicon, in any of its regular forms (-s, -es, -ies, -ed, -ing).
import { byKind, type Kind, KINDS } from '../../../base/catalog/kinds.ts'
import { ALSO_ADJECTIVES, ALSO_NOUNS, IRREGULAR, NOUN_PHRASES, NOUNS, PHRASAL_VERBS, VERBS } from './lexicon.ts'
import { FOREIGN_VERBS } from './lexicon-plain.ts'

type Form = 'plain' | 's' | 'ed' | 'ing'

export type Word = {
  lemma: string
  kind: Kind
  form: Form
  /** Whether the word may be a verb. */
  verb: boolean
  /** Whether the word may be a noun or an adjective. */
  noun: boolean
  /** Whether the word may be an adjective. As the last word of a name it is then a verb. */
  adjective: boolean
}

/** The set of words in a text that white space separates. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

const LAST_CONSONANT = /[^aeiou][aeiou][^aeiouwxy]$/

/** The regular forms of a verb or noun, with both spellings where a consonant may double. */
export function formsOf(lemma: string): [string, Form][] {
  const stem = lemma.replace(/e$/, '')
  const soft = lemma.replace(/([^aeiou])y$/, '$1i')
  const doubled = LAST_CONSONANT.test(lemma) ? lemma + lemma.at(-1) : stem
  return [
    [lemma, 'plain'],
    [/(?:[sxz]|ch|sh)$/.test(lemma) || soft !== lemma ? `${soft}es` : `${lemma}s`, 's'],
    [soft === lemma ? `${stem}ed` : `${soft}ed`, 'ed'],
    [`${doubled}ed`, 'ed'],
    [`${stem}ing`, 'ing'],
    [`${doubled}ing`, 'ing'],
  ]
}

type Entry = Omit<Word, 'form'>
type Index = { words: ReadonlyMap<string, Word>; phrasals: ReadonlyMap<string, Word> }

function entriesOf(table: Partial<Record<Kind, string>>, verb: boolean): Entry[] {
  const alsoNouns = wordSet(ALSO_NOUNS)
  const alsoAdjectives = wordSet(ALSO_ADJECTIVES)
  return byKind(table).flatMap(([kind, list]) =>
    [...wordSet(list)].map((lemma) => {
      const adjective = alsoAdjectives.has(lemma)
      return { lemma, kind, verb, noun: !verb || adjective || alsoNouns.has(lemma), adjective }
    }),
  )
}

/** Builds the index. The first entry of a spelling wins, so plain words are entered before other forms. */
function makeIndex(): Index {
  const words = new Map<string, Word>()
  const phrasals = new Map<string, Word>()
  const enter = (spelling: string, word: Word) => words.has(spelling) || words.set(spelling, word)
  const lexicon = [...entriesOf(VERBS, true), ...entriesOf(NOUNS, false)]
  for (const entry of lexicon) enter(entry.lemma, { ...entry, form: 'plain' })
  for (const entry of lexicon) for (const [spelling, form] of formsOf(entry.lemma)) enter(spelling, { ...entry, form })
  for (const pair of wordSet(IRREGULAR)) {
    const [spelling = '', lemma = ''] = pair.split(':')
    const word = words.get(lemma)
    if (word) enter(spelling, { ...word, form: 'ed' })
  }
  for (const [kind, list] of byKind(PHRASAL_VERBS)) {
    for (const lemma of list) {
      const [first = '', particle = ''] = lemma.split(' ')
      const entry = { lemma, kind, verb: true, noun: false, adjective: false }
      for (const [spelling, form] of formsOf(first)) phrasals.set(`${spelling} ${particle}`, { ...entry, form })
      enter(first + particle, { ...entry, lemma: first + particle, form: 'plain', noun: true })
    }
  }
  for (const [kind, list] of byKind(NOUN_PHRASES)) {
    for (const lemma of list.split(/,\s+/)) {
      const word = { lemma, kind, verb: false, noun: true, adjective: false }
      for (const [spelling, form] of formsOf(lemma))
        if (/^(?:plain|s)$/.test(form)) phrasals.set(spelling, { ...word, form })
    }
  }
  for (const { lemma, ...entry } of entriesOf(FOREIGN_VERBS, true)) enter(lemma, { ...entry, lemma, form: 'plain' })
  return { words, phrasals }
}

let made: Index | undefined

/** Built on first use, because most functions that can classify do so rarely. */
const index = (): Index => (made ??= makeIndex())

/** A token with its entry in the lexicon. */
export type Known = { token: string; word: Word | undefined }

/** Words of a tenant, by spelling. The built-in ones come first. */
export type TenantWords = ReadonlyMap<string, Word>

/** Looks tokens up in order; a phrasal verb becomes one entry. */
export function lookUp(tokens: readonly string[], tenant?: TenantWords): Known[] {
  const { words, phrasals } = index()
  const known: Known[] = []
  for (let i = 0; i < tokens.length; i += 1) {
    const [token = '', next] = [tokens[i], tokens[i + 1]]
    const phrasal = next && phrasals.get(`${token} ${next}`)
    if (phrasal) i += 1
    known.push({
      token: phrasal ? `${token} ${next}` : token,
      word: phrasal || (words.get(token) ?? tenant?.get(token)),
    })
  }
  return known
}

/** The word of the lexicon that a token is, in any form. */
export const wordOf = (token: string): Word | undefined => index().words.get(token)

export const tierOf = (word: Word) => KINDS[word.kind].tier
