// A reading: the kind that a name or text means, and the word that shows it.
import { higherKind, type Kind } from '../../../base/catalog/kinds.ts'
import {
  CHANNELS,
  CIRCLES,
  CODE,
  MAIL_OBJECTS,
  MAIL_VERBS,
  MEMBERS,
  NOTICE_VERBS,
  NOTICES,
  PATCHED,
  POWERFUL,
} from './lexicon.ts'
import { formsOf, type Known, tierOf, type Word, wordSet } from './words.ts'

export type Reading = { kind: Kind; word: string }

/** The reading of words that could be an act. */
export const NOT_UNDERSTOOD: Reading = { kind: 'unknown', word: 'not understood' }

export const readingOf = (word: Word): Reading => ({ kind: word.kind, word: word.lemma })

export const higherReading = (a: Reading | undefined, b: Reading | undefined): Reading | undefined =>
  a && b ? (higherKind(a.kind, b.kind) === a.kind ? a : b) : (a ?? b)

const allForms = (words: string) => new Set([...wordSet(words)].flatMap((word) => formsOf(word).map(([form]) => form)))

const channels = allForms(CHANNELS)

export const isChannel = (token: string): boolean => channels.has(token)
export const namesChannel = (tokens: readonly string[]): boolean => tokens.some(isChannel)

const mailVerbs = wordSet(MAIL_VERBS)
const mailObjects = allForms(MAIL_OBJECTS)
const noticeVerbs = wordSet(NOTICE_VERBS)
const notices = allForms(NOTICES)
const code = wordSet(CODE)
const patched = wordSet(PATCHED)
const powerful = wordSet(POWERFUL)
const members = wordSet(MEMBERS)
const circles = wordSet(CIRCLES)
const ADDING = wordSet('add assign associate append insert')

/** Whether the kind of a word is HARD and known. */
export const isHard = (word: Word | undefined): word is Word =>
  word !== undefined && word.kind !== 'unknown' && tierOf(word) === 'HARD'

/** What a verb that writes or changes does by its object: it gives rights, or replaces what runs. */
function effectOf(verb: Word, words: readonly Known[]): Reading | undefined {
  if (tierOf(verb) !== 'SOFT') return undefined
  const tokens = words.map(({ token }) => token)
  const last = tokens.at(-1) ?? ''
  const joins = tokens.some((token) => members.has(token)) && (tokens.includes('to') || ADDING.has(verb.lemma))
  if (powerful.has(last) || (joins && tokens.some((token) => circles.has(token))))
    return { kind: 'permission', word: verb.lemma }
  const replaces = code.has(last) || (verb.lemma === 'patch' && patched.has(last))
  return replaces ? { kind: 'deploy', word: verb.lemma } : undefined
}

/** The reading of a verb that does more than read, with the words beside it. `outward`: a word for a channel is near. */
export function actOf(verb: Word, words: readonly Known[], outward: boolean): Reading {
  const others = words.filter((known) => known.word !== verb)
  let reading = readingOf(verb)
  if (mailVerbs.has(verb.lemma) && others.some(({ token }) => mailObjects.has(token)))
    reading = { kind: 'email', word: verb.lemma }
  else if (noticeVerbs.has(verb.lemma) && !outward && others.some(({ token }) => notices.has(token)))
    reading = { kind: 'notify', word: verb.lemma }
  reading = higherReading(reading, effectOf(verb, words)) ?? reading
  for (const { word } of others) {
    if (isHard(word)) reading = higherReading(reading, readingOf(word)) ?? reading
  }
  return reading
}
