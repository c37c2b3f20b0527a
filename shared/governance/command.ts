// Reads a command in plain words. It is only ever read: it reaches no shell, evaluator or template.
import { NOUN_MARKERS } from './lexicon.ts'
import { actOf, higherReading, isHard, namesChannel, type Reading, readingOf } from './reading.ts'
import { fold, tokensOf } from './tokens.ts'
import { type Known, lookUp, tierOf, wordSet } from './words.ts'

const CLAUSE_END = /[.!?](?=\s|$)|[\n\r;:,]|\b(?:and|or|then)\b/i
const nounMarkers = wordSet(NOUN_MARKERS)

/** Whether the word at `i` is an act, as far as one can tell a verb from a noun by what stands before it. */
function isAct(words: readonly Known[], i: number): boolean {
  const word = words[i]?.word
  if (!word?.verb || !word.noun) return word?.verb ?? false
  const before = words[i - 1]
  if (!before) return true
  const isObject = nounMarkers.has(before.token) || (before.word?.verb === true && tierOf(before.word) === 'AUTO')
  return word.form !== 's' && !isObject
}

function readClause(clause: string, outward: boolean): Reading | undefined {
  const words = lookUp(tokensOf(clause))
  const acts = words.filter((_, i) => isAct(words, i)).flatMap(({ word }) => word ?? [])
  const [verb] = acts
  if (!verb) return undefined
  if (tierOf(verb) !== 'AUTO') return actOf(verb, words, outward)
  return acts.filter(isHard).map(readingOf).reduce<Reading | undefined>(higherReading, readingOf(verb))
}

/** The highest kind that any clause speaks of; undefined when no clause has a verb of the lexicon. */
export function readCommand(command: string): Reading | undefined {
  const text = fold(command)
  const outward = namesChannel(tokensOf(text))
  return text
    .split(CLAUSE_END)
    .map((clause) => readClause(clause, outward))
    .reduce<Reading | undefined>(higherReading, undefined)
}
