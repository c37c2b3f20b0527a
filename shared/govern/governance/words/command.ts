// Classifies a command in plain words. The command is data: it never reaches a shell, evaluator or template. A clause only reads if
// the grammar parses it to its end; one clause that is not understood makes the whole command unknown.
import { actOf, higherReading, isHard, namesChannel, NOT_UNDERSTOOD, type Reading, readingOf } from './readings.ts'
import { type Clause, clausesOf, wordsOfClause } from './clauses.ts'
import { withCompounds } from './compounds.ts'
import { parseClause } from './grammar.ts'
import { NOUN_MARKERS, OBJECT_MARKERS } from './lexicon.ts'
import { POLITE, VERB_MARKERS } from './lexicon-plain.ts'
import { raisedReadings } from './objects.ts'
import { type Known, lookUp, tierOf, type Word, wordOf, wordSet } from './words.ts'

const nounMarkers = wordSet(NOUN_MARKERS)
const objectMarkers = wordSet(OBJECT_MARKERS)
const polite = wordSet(POLITE)
const verbMarkers = wordSet(VERB_MARKERS)

/** Whether the word at `i` is an act. The words before it decide whether it is a verb or a noun. */
function isAct(words: readonly Known[], i: number): boolean {
  const word = words[i]?.word
  if (!word?.verb || !word.noun) return word?.verb ?? false
  const before = words[i - 1]
  if (!before) return word.form !== 's'
  const isObject = nounMarkers.has(before.token) || (before.word?.verb === true && tierOf(before.word) === 'AUTO')
  return word.form !== 's' && !isObject
}

/** Whether an act beside a reading verb does more than describe what is read (`the tickets created today`). */
function raises(words: readonly Known[], i: number): boolean {
  const word = words[i]?.word
  if (!word || !isAct(words, i) || tierOf(word) === 'AUTO') return false
  const isMarked = objectMarkers.has(words[i + 1]?.token ?? '') || verbMarkers.has(words[i - 1]?.token ?? '')
  const isClear = word.form !== 'ed' && (!word.noun || isMarked)
  return isClear || isHard(word)
}

const highest = (readings: readonly Reading[]) => readings.reduce<Reading | undefined>(higherReading, undefined)

/** The act of a clause that is not known to read only. Its kind orders the queue; the grammar decides whether it runs. */
function readAct(tokens: readonly string[], outward: boolean): Reading | undefined {
  const all = withCompounds(lookUp(tokens))
  const from = all.findIndex(({ token }) => !(polite.has(token) || /^\d/.test(token)))
  const words = from < 0 ? [] : all.slice(from)
  const acts = words.filter((_, i) => isAct(words, i)).flatMap(({ word }) => word ?? [])
  const [verb] = acts
  if (!verb || verb !== words[0]?.word) return highest([NOT_UNDERSTOOD, ...acts.map(readingOf)])
  if (tierOf(verb) !== 'AUTO') return actOf(verb, words, outward)
  const raised = words.flatMap(({ word }, i) => (word && raises(words, i) ? readingOf(word) : []))
  return highest([NOT_UNDERSTOOD, ...raised, ...raisedReadings(verb, words)])
}

/** The verb of a clause that reads without naming one. Looked up on use, because the index is built on first use. */
const showing = (): Word =>
  wordOf('show') ?? { lemma: 'show', kind: 'read', form: 'plain', verb: true, noun: false, adjective: false }

/** The reading of a clause that parses: a secret, money or a word to the outside counts for more than its verb. */
function readProven(lemma: string | undefined, clause: Clause): Reading | undefined {
  const known = lemma === undefined ? undefined : wordOf(lemma)
  const verb = known && tierOf(known) === 'AUTO' ? known : showing()
  // The text of a search may have been written by others.
  const said = verb.kind === 'search' ? clause.parts.filter(({ as }) => as !== 'quote') : clause.parts
  return highest([readingOf(verb), ...raisedReadings(verb, lookUp(wordsOfClause({ ...clause, parts: said })))])
}

/** The reading with the strictest kind of all clauses; undefined when no clause asks for an act. */
export function readCommand(command: string): Reading | undefined {
  const clauses = clausesOf(command)
  const outward = namesChannel(clauses.flatMap(wordsOfClause))
  let reading: Reading | undefined
  let after: string | undefined
  for (const clause of clauses) {
    const tokens = wordsOfClause(clause)
    const parsed = parseClause(clause.parts, after)
    if (parsed?.as === 'courtesy') continue
    if (parsed?.as !== 'tail') after = parsed?.verb
    if (parsed?.as === 'reads') reading = higherReading(reading, readProven(parsed.verb, clause))
    else if (parsed?.as === 'tail' && clause.joined && reading)
      reading = higherReading(reading, highest(raisedReadings(showing(), lookUp(tokens))))
    else reading = higherReading(reading, readAct(tokens, outward))
  }
  return reading
}
