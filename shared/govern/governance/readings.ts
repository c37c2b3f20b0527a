// A reading: the kind that a name or text stands for, and the word that shows it.
import { higherKind, type Kind } from '../../base/catalog/kinds.ts'
import { CHANNELS } from './lexicon.ts'
import { formsOf, type Word, wordSet } from './words.ts'

export type Reading = { kind: Kind; word: string }

/** Stands for words that could be an act. */
export const NOT_UNDERSTOOD: Reading = { kind: 'unknown', word: 'not understood' }

export const readingOf = (word: Word): Reading => ({ kind: word.kind, word: word.lemma })

export const higherReading = (a: Reading | undefined, b: Reading | undefined): Reading | undefined =>
  a && b ? (higherKind(a.kind, b.kind) === a.kind ? a : b) : (a ?? b)

const channels = new Set([...wordSet(CHANNELS)].flatMap((word) => formsOf(word).map(([form]) => form)))

export const isChannel = (token: string): boolean => channels.has(token)
export const namesChannel = (tokens: readonly string[]): boolean => tokens.some(isChannel)
