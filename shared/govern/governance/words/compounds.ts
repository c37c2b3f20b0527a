// Finds verbs that are written together with the word beside them (`deleteuser`, `andwire`), so that a missing separator does
// not hide an act.
import { CONJUNCTIONS, PLAIN, PLAIN_ALSO_VERBS } from './lexicon-plain.ts'
import { formsOf, type Known, tierOf, type Word, wordOf, wordSet } from './words.ts'

const [LENGTH_MIN, LENGTH_MAX] = [6, 40]
const VERB_MIN = 4

const plain: ReadonlySet<string> = new Set(
  [...wordSet(PLAIN)].flatMap((word) =>
    formsOf(word).flatMap(([form, name]) => (/^(?:plain|s)$/.test(name) ? form : [])),
  ),
)
const conjunctions = wordSet(CONJUNCTIONS)

const alsoVerbs = wordSet(PLAIN_ALSO_VERBS)

/** Whether a plain word may be a verb when another word follows it. */
export const isAlsoVerb = (token: string): boolean => alsoVerbs.has(token)

/** Whether a word, in the singular or plural, names no act. */
export const isPlainWord = (token: string): boolean => plain.has(token)

const isKnown = (text: string) =>
  plain.has(text) || conjunctions.has(text) || text === 'all' || wordOf(text) !== undefined

const isPiece = (text: string) => isKnown(text) || isKnown(text.replace(/(?:and|then|or)$/, ''))

/** `connector` and `membership` are nouns: endings that turn a verb into a noun are no words. */
const isEnding = (act: string, rest: string) => rest === 'or' || (act === 'ship' && !rest.endsWith('and'))

/** Beside a conjunction, a word that may be a noun or a verb counts as an act. */
function actOf(text: string, beside: string): Word | undefined {
  const word = text.length < VERB_MIN ? undefined : wordOf(text)
  const isAct = word?.verb && word.form === 'plain' && tierOf(word) !== 'AUTO'
  return isAct && (!word.noun || conjunctions.has(beside)) ? { ...word, noun: false } : undefined
}

function actIn(token: string): Word | undefined {
  if (token.length < LENGTH_MIN || token.length > LENGTH_MAX || plain.has(token)) return undefined
  for (let at = 2; at < token.length - 1; at += 1) {
    const [start, end] = [token.slice(0, at), token.slice(at)]
    const act = isEnding(start, end)
      ? undefined
      : (actOf(start, end) ?? (isEnding(end, start) ? undefined : actOf(end, start)))
    if (act && isPiece(start) && isPiece(end)) return act
  }
  return undefined
}

/** The same words, with each unknown word that hides an act replaced by that act. */
export const withCompounds = (words: readonly Known[]): Known[] =>
  words.map((known) => (known.word ? known : { ...known, word: actIn(known.token) }))
