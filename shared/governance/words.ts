// Looks a word up in the lexicon, in any of its regular forms (-s, -es, -ies, -ed, -ing).
import { byKind, KINDS, type Kind } from './kinds.ts'
import { ALSO_ADJECTIVES, ALSO_NOUNS, NOUNS, PHRASAL_VERBS, VERBS } from './lexicon.ts'

type Form = 'plain' | 's' | 'ed' | 'ing'

export type Word = {
  lemma: string
  kind: Kind
  form: Form
  /** false: it is only ever a noun. */
  verb: boolean
  /** A noun or an adjective as often as a verb. */
  noun: boolean
  /** An adjective, so that as the last word of a name it can only be a verb. */
  adjective: boolean
}

/** A space-separated list of the lexicon as a set. */
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

const words = new Map<string, Word>()
const alsoNouns = wordSet(ALSO_NOUNS)
const alsoAdjectives = wordSet(ALSO_ADJECTIVES)

/** The first entry of a spelling stays, so that plain words go in before the forms of others. */
function enter(lemma: string, entry: Omit<Word, 'lemma' | 'form'>, plain: boolean) {
  for (const [spelling, form] of formsOf(lemma)) {
    if ((form === 'plain') === plain && !words.has(spelling)) words.set(spelling, { lemma, form, ...entry })
  }
}

const entries = (table: Partial<Record<Kind, string>>, verb: boolean) =>
  byKind(table).flatMap(([kind, list]) =>
    [...wordSet(list)].map((lemma) => {
      const adjective = alsoAdjectives.has(lemma)
      return { lemma, entry: { kind, verb, noun: !verb || adjective || alsoNouns.has(lemma), adjective } }
    }),
  )

const lexicon = [...entries(VERBS, true), ...entries(NOUNS, false)]
for (const { lemma, entry } of lexicon) enter(lemma, entry, true)
for (const { lemma, entry } of lexicon) enter(lemma, entry, false)

const PHRASE = { verb: true, noun: false, adjective: false }
const phrasals = new Map<string, Word>()
for (const [kind, list] of byKind(PHRASAL_VERBS)) {
  for (const phrase of list) {
    const [first = '', particle = ''] = phrase.split(' ')
    for (const [spelling, form] of formsOf(first)) {
      phrasals.set(`${spelling} ${particle}`, { lemma: phrase, kind, form, ...PHRASE })
    }
    if (!words.has(first + particle)) enter(first + particle, { kind, ...PHRASE, noun: true }, true)
  }
}

/** A token with what the lexicon knows of it. */
export type Known = { token: string; word: Word | undefined }

/** Looks tokens up in order; a phrasal verb becomes one entry. */
export function lookUp(tokens: readonly string[]): Known[] {
  const known: Known[] = []
  for (let i = 0; i < tokens.length; i += 1) {
    const [token = '', next] = [tokens[i], tokens[i + 1]]
    const phrasal = next && phrasals.get(`${token} ${next}`)
    if (phrasal) i += 1
    known.push({ token: phrasal ? `${token} ${next}` : token, word: phrasal || words.get(token) })
  }
  return known
}

export const tierOf = (word: Word) => KINDS[word.kind].tier
