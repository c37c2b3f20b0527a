// Derives the kind of an action from the sentences of its description. What a sentence says can raise the reading of the name;
// a description that only reads can also explain a name that says nothing.
import { KINDS } from '../../../base/catalog/kinds.ts'
import { actOf, higherReading, isHard, type Reading, readingOf } from './readings.ts'
import { isPlainWord } from './compounds.ts'
import * as lexicon from './lexicon-names.ts'
import { obtainsSecret } from './objects.ts'
import {
  addressed,
  clausesOf,
  fillers,
  headBehind,
  isRead,
  objectMarkers,
  openers,
  phraseBehind,
  readable,
  sentencesOf,
  withoutIntroduction,
  withoutLabel,
} from './sentences.ts'
import { tokensOf } from './tokens.ts'
import { isAdjective, isNoun, isParticiple } from './vocabulary.ts'
import { type Known, lookUp, tierOf, type Word, wordSet } from './words.ts'

/**
 * `reading`: the strictest of all sentences. `reads`: every sentence is understood, and none does more than read. `vetoes`: a word
 * in the place of a main verb is not known to read.
 */
export type Described = { reading: Reading | undefined; reads: boolean; vetoes: boolean }

const NOTHING: Described = { reading: undefined, reads: false, vetoes: false }

/**
 * Reads a description. An empty one says nothing. Only a description whose first sentence begins with a reading verb, and in which no
 * verb does more, `reads`. `outward`: a word for a channel is near.
 */
export function readDescription(text: string, outward: boolean): Described {
  if (text === '') return NOTHING
  const sentences = sentencesOf(text)
  const [first = '', ...later] = sentences
  const said = later.map((sentence) => readLater(sentence, outward)).reduce(higherReading, readFirst(first, outward))
  const reading = [purposeOf(first, outward), secretIn(first)].reduce(higherReading, said)
  const isHarmless = reading === undefined || KINDS[reading.kind].tier === 'AUTO'
  const vetoes = sentences.some(isObscure)
  return { reading, reads: isHarmless && opensReading(first) && !vetoes, vetoes }
}

const sequels = wordSet(lexicon.SEQUELS)
const weak = wordSet(lexicon.WEAK_READS)
const notSaid = wordSet(lexicon.NOT_SAID)
const actNouns = wordSet(lexicon.ACT_NOUNS)
const relative = wordSet('which that who')
const prepositions = wordSet('for of to in with from by')
const searches = wordSet(lexicon.SEARCHES)

/** A remark in parentheses. */
const ASIDE = /\([^()]{0,200}\)/g
const saysRead = wordSet(lexicon.SAYS_READ)
const saysHow = wordSet(lexicon.SAYS_HOW)
const could = wordSet(lexicon.COULD)

/** Behind a gerund these are what is said of a thing (`provisioning state`). */
const saidOfThings = wordSet('state status date time type information details statistics')
const PRONOUN = /^(?:it|them)$/

const WITHIN_FIRST = 3
const WITHIN = 2
const OBJECT_WITHIN = 4

/** The verb among the first words of a clause. A word that may also be a noun needs an object to count as a verb. */
function verbAt(words: readonly Known[], within: number, opensText: boolean): number {
  return words.slice(0, within).findIndex(({ word }, i): boolean => {
    if (!word?.verb || word.form === 'ed' || (word.form === 'ing' && i > 0) || word.kind === 'unknown') return false
    const before = words[i - 1]?.token ?? ''
    if (notSaid.has(before) || (relative.has(before) && !isHard(word))) return false
    if (isRead(words, i)) return false
    const next = words[i + 1]?.token
    if (word.form === 'ing' && saidOfThings.has(next ?? '')) return false
    if (!word.noun) return true
    return (opensText && i === 0 && word.form === 'plain' && next !== undefined) || objectMarkers.has(next ?? '')
  })
}

/** A verb of a later clause has the form of the first one; `read and write permissions` after `describes` names things. */
const agrees = (verb: Word, main: Word | undefined, next = '') =>
  main === undefined || verb.form === main.form || verb.form === 'ing' || (isHard(verb) && objectMarkers.has(next))

function readFirst(sentence: string, outward: boolean): Reading | undefined {
  let reading: Reading | undefined
  let main: Word | undefined
  for (const [i, words] of clausesOf(sentence).entries()) {
    const within = i === 0 ? WITHIN_FIRST : WITHIN
    const at = verbAt(words, within, i === 0)
    const verb = words[at]?.word
    if (!verb || !agrees(verb, main, words[at + 1]?.token)) continue
    main ??= verb
    const near = tierOf(verb) === 'AUTO' ? readingOf(verb) : actOf(verb, words.slice(0, within + 1), outward)
    reading = higherReading(reading, near)
  }
  return reading
}

/** The act of a later sentence: `Then deletes it.`, `This also sends a mail.` An act that the reader is asked for is none of the action. */
function readLater(sentence: string, outward: boolean): Reading | undefined {
  let reading: Reading | undefined
  for (const words of clausesOf(sentence)) {
    const from = words.findIndex(({ token }) => !openers.has(token) && !sequels.has(token))
    const verb = words[from]?.word
    if (!verb?.verb || verb.noun || tierOf(verb) === 'AUTO' || verb.kind === 'unknown' || isRead(words, from)) continue
    const follows = words.slice(0, from).some(({ token }) => sequels.has(token))
    const next = words[from + 1]?.token ?? ''
    const isSaid = verb.form === 's' ? follows || isHard(verb) : follows || (isHard(verb) && PRONOUN.test(next))
    if (isSaid && verb.form !== 'ed' && verb.form !== 'ing')
      reading = higherReading(reading, actOf(verb, words.slice(from, from + OBJECT_WITHIN), outward))
  }
  return reading
}

/** A query may write. Its text says that it does not, or its payload has to show it. */
const isHarmlessQuery = (head: string, sentence: string): boolean =>
  !/^quer(?:y|ies)$/.test(head) || /\bread[ -]?only\b|\bselect\b/i.test(sentence)

/** Whether the first sentence begins with a verb that only reads, or names a search (`full-text search over all pages`). */
function opensReading(sentence: string): boolean {
  const words = withoutIntroduction(lookUp(tokensOf(withoutLabel(sentence))))
  const from = words.findIndex(({ token }) => !openers.has(token))
  const word = words[from]?.word
  const near = words.slice(from + 1, from + 1 + OBJECT_WITHIN).map(({ token }) => token)
  const opening = word?.lemma ?? words[from]?.token.replace(/s$/, '') ?? ''
  if (saysRead.has(opening)) return true
  if (isRead(words, from) && !addressed.has(near[0] ?? '')) return isHarmlessQuery(headBehind(words, from), sentence)
  if (word?.verb && word.form !== 'ed') {
    return tierOf(word) === 'AUTO' && (!weak.has(word.lemma) || near.some((token) => readable.has(token)))
  }
  const object = near.findIndex((token) => objectMarkers.has(token) || prepositions.has(token))
  return near.slice(0, object < 0 ? undefined : object).some((token) => searches.has(token))
}

const isKnownNoun = (token: string) => isNoun(token) || isPlainWord(token)

/** Whether a word that is not known to read stands where a verb does. `leads`: the text begins with it, so a bare noun may follow. */
function isLikeVerb({ token, word }: Known, next: string, leads: boolean): boolean {
  const isThird = leads && token.endsWith('s') && next !== '' && !prepositions.has(next) && !openers.has(next)
  const isObject = objectMarkers.has(next) || (isThird && !isParticiple(next))
  if (word?.verb && word.form !== 'ed' && (word.kind === 'unknown' || (word.noun && tierOf(word) !== 'AUTO')))
    return word.noun ? isObject : word.kind === 'unknown'
  return !word && !isKnownNoun(token) && !isAdjective(token) && !isParticiple(token) && !fillers.has(token) && isObject
}

/** The verb that a word is a form of, as far as its spelling shows it. */
const stemsOf = ({ token, word }: Known): string[] => [
  word?.lemma ?? token,
  ...[/s$/, /es$/, /ing$/].map((ending) => token.replace(ending, '')),
  token.replace(/ing$/, 'e'),
]

/** Whether a word that is not known to read is the verb of a main clause (`Sounds the alarm`, `lists users and yeets them`). */
function isObscure(sentence: string, at: number): boolean {
  const said = at === 0 ? withoutLabel(sentence) : sentence
  let main = ''
  return clausesOf(said.replaceAll(ASIDE, '')).some((words, i) => {
    const from = words.findIndex(({ token }) => !openers.has(token) && !sequels.has(token))
    const first = words[from]
    if (!first || isRead(words, from)) return false
    if (i === 0) main = first.token
    const leads = at === 0 && i === 0
    const stems = stemsOf(first)
    const isHow = !leads && (at > 0 || !first.word?.verb)
    if (stems.some((stem) => isHow && (saysHow.has(stem) || isKnownNoun(stem)))) return false
    if (stems.some((stem) => saysRead.has(stem)))
      return words.slice(from + 1, from + 1 + OBJECT_WITHIN).some(({ token }) => token === 'access')
    const isThird = first.token.endsWith('s')
    const follows = words.slice(0, from).some(({ token }) => sequels.has(token))
    const agreeing = at === 0 ? isThird === main.endsWith('s') || first.token.endsWith('ing') : isThird && i === 0
    return (leads || follows || agreeing) && isLikeVerb(first, words[from + 1]?.token ?? '', leads)
  })
}

const PASSIVE = wordSet('is are gets get be')
const MEANS = wordSet('by through via')

/** The act on the thing that the sentence begins with (`The report is deleted`), or the act by which it is read (`by deleting …`). */
function happensIn(words: readonly Known[]): Reading | undefined {
  const [first, second] = words
  if (actNouns.has(first?.token ?? '') && first?.word && second?.token !== 'status') return readingOf(first.word)
  const begins = objectMarkers.has(first?.token ?? '')
  return words.reduce<Reading | undefined>((reading, { word }, i) => {
    const before = words[i - 1]?.token ?? ''
    const isPassive =
      begins &&
      word?.form === 'ed' &&
      PASSIVE.has(before) &&
      !words.slice(0, i).some(({ token }) => relative.has(token))
    const isMeans =
      word?.form === 'ing' && MEANS.has(before) && word.kind !== 'message_external' && word.kind !== 'execute'
    return isHard(word) && (isPassive || isMeans) ? higherReading(reading, readingOf(word)) : reading
  }, undefined)
}

/** A result behind the object of `get` (`to get funds transferred`), or what the action is for (`to cancel the order`). */
function purposeOf(sentence: string, outward: boolean): Reading | undefined {
  const words = lookUp(tokensOf(sentence))
  let reading = happensIn(words)
  let gets = false
  for (const [i, { token, word }] of words.entries()) {
    if (token === 'get' || token === 'gets') gets = true
    const next = words[i + 1]
    const ends = next === undefined || prepositions.has(next.token)
    if (
      gets &&
      i > 1 &&
      word?.verb &&
      word.form === 'ed' &&
      isHard(word) &&
      ends &&
      words[i - 1]?.word?.form !== 'plain'
    )
      reading = higherReading(reading, readingOf(word))
    const before = words[i - 2]?.token ?? ''
    if (words[i - 1]?.token !== 'to' || !isHard(word) || word.form !== 'plain' || word.noun || could.has(before))
      continue
    if (before !== '') reading = higherReading(reading, actOf(word, words.slice(i, i + OBJECT_WITHIN), outward))
  }
  return reading
}

/** A secret that the first sentence returns: its first noun phrase ends with one (`gets a verification code of`). */
function secretIn(sentence: string): Reading | undefined {
  const words = clausesOf(withoutLabel(sentence))[0] ?? []
  const from = words.findIndex(({ token }) => !openers.has(token))
  const verb = words[from]?.word
  if (!verb || verb.form === 'ed') return undefined
  const phrase = phraseBehind(words, from).flatMap(({ token }) => token.split(' '))
  return obtainsSecret(verb, phrase) ? { kind: 'secret_read', word: 'secret' } : undefined
}
