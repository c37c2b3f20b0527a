// Classifies a command in plain words. The command is data: it never reaches a shell, evaluator or template. One clause that is
// not understood makes the whole command unknown, because it could be more than a read.
import { clausesOf, HANDLE } from './clauses.ts'
import { isAlsoVerb, isPlainWord, withCompounds } from './compounds.ts'
import { NOUN_MARKERS, OBJECT_MARKERS } from './lexicon.ts'
import { BROUGHT_ABOUT, FOREIGN_GRAMMAR, GRAMMAR, POLITE, VERB_MARKERS } from './lexicon-plain.ts'
import { raisedReadings } from './objects.ts'
import { actOf, isHard } from './acts.ts'
import { higherReading, namesChannel, NOT_UNDERSTOOD, type Reading, readingOf } from './readings.ts'
import { isAscii } from './tokens.ts'
import { type Known, lookUp, tierOf, type Word, wordSet } from './words.ts'

const nounMarkers = wordSet(NOUN_MARKERS)
const objectMarkers = wordSet(OBJECT_MARKERS)
const grammar = wordSet(GRAMMAR)
const polite = wordSet(POLITE)
const foreign = wordSet(FOREIGN_GRAMMAR)
const verbMarkers = wordSet(VERB_MARKERS)
const broughtAbout = wordSet(BROUGHT_ABOUT)
const PRONOUNS = wordSet('them it him her everything everyone everybody us')
const BEFORE_GERUND = wordSet('by before after while when without')

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

const isNumber = (token: string) => /^\d/.test(token)

const isFunctionWord = ({ token }: Known) =>
  grammar.has(token) || polite.has(token) || token === HANDLE || isNumber(token)

/** Whether a word that is not in the lexicon stands where a verb would. */
function isLikeVerb(words: readonly Known[], i: number): boolean {
  const [before, known, next, following] = [words[i - 1], words[i], words[i + 1], words[i + 2]]
  if (!known || known.word || isFunctionWord(known)) return false
  if (PRONOUNS.has(next?.token ?? '') && (following === undefined || !isPlainWord(following.token))) return true
  if (BEFORE_GERUND.has(before?.token ?? '') && known.token.endsWith('ing')) return true
  if (before?.token === 'to') return next !== undefined && (!isFunctionWord(next) || objectMarkers.has(next.token))
  if (next && !isFunctionWord(next) && !known.token.endsWith('ed') && isPlural(words, i - 1)) return true
  return i > 1 && !!before && !isFunctionWord(before) && objectMarkers.has(next?.token ?? '')
}

/** Whether a noun is used as a verb, with an object behind it (`text the customer`, `contact customers`). */
function opensLikeVerb([first, next]: readonly Known[]): boolean {
  if (!first || !next || isFunctionWord(first)) return false
  return objectMarkers.has(next.token) || (isAlsoVerb(first.token) && !isFunctionWord(next))
}

/** Whether a known noun in the plural stands at `i`, or before a number there: the object of the verb ends with it. */
function isPlural(words: readonly Known[], i: number): boolean {
  const at = isNumber(words[i]?.token ?? '') ? i - 1 : i
  const { token = '', word } = words[at] ?? { word: undefined }
  return at > 0 && (word ? word.noun && word.form === 's' : /[^su]s$/.test(token) && isPlainWord(token))
}

/** `get the invoice paid`, `check the account out`. */
const bringsAbout = (verb: Word, words: readonly Known[]) =>
  words.length > 2 && /^(?:get|check)$/.test(verb.lemma) && broughtAbout.has(words.at(-1)?.token ?? '')

/** Words of a language or script without a lexicon. */
const isForeign = ({ token }: Known) =>
  foreign.has(token) || !(isAscii(token) || /^[\p{Script=Latin}\p{ASCII}]*$/u.test(token))

const isPlain = (known: Known) =>
  isPlainWord(known.token) ||
  isFunctionWord(known) ||
  (known.word?.noun === true && (!known.word.verb || known.word.form === 's'))

const highest = (readings: readonly Reading[]) => readings.reduce<Reading | undefined>(higherReading, undefined)

function besides(verb: Word, words: readonly Known[]): Reading[] {
  const acts = words.flatMap(({ word }, i) => (word && raises(words, i) ? readingOf(word) : []))
  const isUnknown = bringsAbout(verb, words) || words.some((known, i) => isForeign(known) || isLikeVerb(words, i))
  return [...acts, ...(isUnknown ? [NOT_UNDERSTOOD] : []), ...raisedReadings(verb, words)]
}

const readVerb = (verb: Word, words: readonly Known[], outward: boolean) =>
  tierOf(verb) === 'AUTO' ? highest([readingOf(verb), ...besides(verb, words)]) : actOf(verb, words, outward)

/** Numbers and words of courtesy in front of the verb. */
const isOpening = ({ token }: Known) => polite.has(token) || isNumber(token)

/** The reading of one clause; undefined when it asks for no act. */
function readClause(tokens: readonly string[], outward: boolean): Reading | undefined {
  const all = withCompounds(lookUp(tokens))
  const from = all.findIndex((known) => !isOpening(known))
  const words = from < 0 ? [] : all.slice(from)
  const acts = words.filter((_, i) => isAct(words, i)).flatMap(({ word }) => word ?? [])
  const [verb] = acts
  if (verb && verb === words[0]?.word) return readVerb(verb, words, outward)
  const isPhrase = all.every(isPlain) && !opensLikeVerb(words) && !words.some((_, i) => isLikeVerb(words, i))
  return isPhrase ? undefined : highest([NOT_UNDERSTOOD, ...acts.map(readingOf)])
}

/** The reading with the strictest kind of all clauses; undefined when no clause asks for an act. */
export function readCommand(command: string): Reading | undefined {
  const clauses = clausesOf(command)
  const outward = namesChannel(clauses.flat())
  return highest(clauses.flatMap((clause) => readClause(clause, outward) ?? []))
}
