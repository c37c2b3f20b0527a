// The reading of a verb that does more than read, with the words beside it.
import { MAIL_OBJECTS, MAIL_VERBS, NOTICES, NOTICE_VERBS } from './lexicon.ts'
import { higherReading, type Reading, readingOf } from './readings.ts'
import { formsOf, type Known, tierOf, type Word, wordSet } from './words.ts'

const allForms = (words: string) => new Set([...wordSet(words)].flatMap((word) => formsOf(word).map(([form]) => form)))

const mailVerbs = wordSet(MAIL_VERBS)
const mailObjects = allForms(MAIL_OBJECTS)
const noticeVerbs = wordSet(NOTICE_VERBS)
const notices = allForms(NOTICES)

/** Whether the kind of a word is HARD and known. */
export const isHard = (word: Word | undefined): word is Word =>
  word !== undefined && word.kind !== 'unknown' && tierOf(word) === 'HARD'

/** `outward`: a word for a channel is near. */
export function actOf(verb: Word, words: readonly Known[], outward: boolean): Reading {
  const others = words.filter((known) => known.word !== verb)
  let reading = readingOf(verb)
  if (mailVerbs.has(verb.lemma) && others.some(({ token }) => mailObjects.has(token)))
    reading = { kind: 'email', word: verb.lemma }
  else if (noticeVerbs.has(verb.lemma) && !outward && others.some(({ token }) => notices.has(token)))
    reading = { kind: 'notify', word: verb.lemma }
  for (const { word } of others) {
    if (isHard(word)) reading = higherReading(reading, readingOf(word)) ?? reading
  }
  return reading
}
