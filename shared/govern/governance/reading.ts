// Derives the kind of an action from its name and from the first sentence of its description.
import { isAlsoVerb, isPlainWord, withCompounds } from './compounds.ts'
import { MAIL_OBJECTS, MAIL_VERBS, NOTICES, NOTICE_VERBS, OBJECT_MARKERS } from './lexicon.ts'
import { CONJUNCTIONS } from './lexicon-plain.ts'
import { raisedReadings } from './objects.ts'
import { higherReading, NOT_UNDERSTOOD, type Reading, readingOf } from './readings.ts'
import { caselessTokensOf, fold, mixesCase, tokensOf } from './tokens.ts'
import { formsOf, type Known, lookUp, tierOf, type Word, wordSet } from './words.ts'

const allForms = (words: string) => new Set([...wordSet(words)].flatMap((word) => formsOf(word).map(([form]) => form)))

const mailVerbs = wordSet(MAIL_VERBS)
const mailObjects = allForms(MAIL_OBJECTS)
const noticeVerbs = wordSet(NOTICE_VERBS)
const notices = allForms(NOTICES)
const objectMarkers = wordSet(OBJECT_MARKERS)
const conjunctions = wordSet(CONJUNCTIONS)

/** In names, gerunds, participles and plurals of nouns are things and no acts (`deleted_items`, `orders`, `billing`). */
const isVerb = (word: Word | undefined): word is Word =>
  word !== undefined && word.verb && (word.form === 'plain' || (word.form === 's' && !word.noun))

/** Whether the kind of a word is HARD and known. */
export const isHard = (word: Word | undefined): word is Word =>
  word !== undefined && word.kind !== 'unknown' && tierOf(word) === 'HARD'

/** The reading of a verb that does more than read, with the words beside it. `outward`: a word for a channel is near. */
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

/** The verb of a phrase: its first word, else its last word, else the first verb between them. */
function verbOf(words: readonly Known[]): Word | undefined {
  const [first, last] = [words.at(0)?.word, words.at(-1)?.word]
  if (isVerb(first)) return first
  return isVerb(last) ? last : words.map(({ word }) => word).find(isVerb)
}

function readPhrase(tokens: readonly string[], outward: boolean): Reading | undefined {
  const words = withCompounds(lookUp(tokens))
  const verb = verbOf(words)
  const all = words.map(({ word }) => word)
  if (!verb) return all.filter(isHard).map(readingOf).reduce<Reading | undefined>(higherReading, undefined)
  if (tierOf(verb) !== 'AUTO') return actOf(verb, words, outward)
  // A word beside a reading verb is its object, unless it can only be an act.
  const isAct = (word: Word) => tierOf(word) !== 'AUTO' && (!word.noun || (word.adjective && word === all.at(-1)))
  const acts = all.filter(isVerb).filter(isAct)
  const beside = [...acts.map(readingOf), ...raisedReadings(verb, words)]
  return beside.reduce<Reading | undefined>(higherReading, readingOf(verb))
}

const isThing = (token: string) => isPlainWord(token) || lookUp([token])[0]?.word?.noun === true

/** Whether a phrase only names things: `name_and_address` does, `get_and_text` and `user_and_text_customer` may not. */
const namesThings = (phrase: readonly string[], before: readonly string[] = []) =>
  before.length !== 1 && phrase.every(isThing) && !(phrase.length > 1 && isAlsoVerb(phrase[0] ?? ''))

/** A phrase that is not understood makes the whole name unknown, unless the phrase only names things. */
function readTokens(tokens: readonly string[], outward: boolean): Reading | undefined {
  const phrases: string[][] = [[]]
  for (const token of tokens) {
    if (conjunctions.has(token)) phrases.push([])
    else phrases.at(-1)?.push(token)
  }
  const said = phrases.filter((phrase) => phrase.length > 0)
  const read = (phrase: string[], i: number) =>
    readPhrase(phrase, outward) ?? (said.length > 1 && !namesThings(phrase, said[i - 1]) ? NOT_UNDERSTOOD : undefined)
  return said.map(read).reduce<Reading | undefined>(higherReading, undefined)
}

/** The reading of an action's name; undefined when no word of it is known. */
export function readName(name: string, outward: boolean): Reading | undefined {
  const reading = readTokens(tokensOf(name), outward)
  return mixesCase(name) ? higherReading(reading, readTokens(caselessTokensOf(name), outward)) : reading
}

const SENTENCE_END = /[.!?](?=\s|$)|[\n\r]/
const CLAUSE_END = /[,;:]|\b(?:and|or|then)\b/i

/** The verb among the first words of a clause. A word that may also be a noun needs an object to count as a verb. */
function verbOfClause(words: readonly Known[], within: number, opensText: boolean): Word | undefined {
  return words.slice(0, within).find(({ word }, i): boolean => {
    if (!word?.verb || word.form === 'ed' || word.kind === 'unknown') return false
    if (!word.noun) return true
    const next = words[i + 1]?.token
    return (opensText && i === 0 && word.form === 'plain') || (next !== undefined && objectMarkers.has(next))
  })?.word
}

/** The reading of a description's first sentence, from its first verb and one after each comma, `and`, `or` and `then`. */
export function readDescription(text: string, outward: boolean): Reading | undefined {
  const sentence = fold(text).trimStart().split(SENTENCE_END, 1)[0] ?? ''
  let reading: Reading | undefined
  for (const [i, clause] of sentence.split(CLAUSE_END).entries()) {
    const words = lookUp(tokensOf(clause))
    const within = i === 0 ? 3 : 2
    const verb = verbOfClause(words, within, i === 0)
    if (!verb) continue
    const near = tierOf(verb) === 'AUTO' ? undefined : actOf(verb, words.slice(0, within + 1), outward)
    reading = higherReading(reading, near ?? readingOf(verb))
  }
  return reading
}
