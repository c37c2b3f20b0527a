// Derives the kind of an action from its name. A reading verb decides only where the other words cannot be acts; where it may as
// well be a noun (`frobnicate_test`), the description has to read, too.
import { actOf, higherReading, isHard, NOT_UNDERSTOOD, type Reading, readingOf } from './readings.ts'
import { isAlsoVerb, isPlainWord, withCompounds } from './compounds.ts'
import * as lexicon from './lexicon-names.ts'
import { CONJUNCTIONS } from './lexicon-plain.ts'
import { actingRead, raisedReadings, readsObject } from './objects.ts'
import { caselessTokensOf, mixesCase, runsOf, tokensOf } from './tokens.ts'
import { isNoun } from './vocabulary.ts'
import { type Known, lookUp, type TenantWords, tierOf, type Word, wordOf, wordSet } from './words.ts'

type About = {
  /** A word for a channel is near. */
  outward: boolean
  /** The description reads throughout; undefined when there is none. */
  described: boolean | undefined
  /** The tenant's own words, for tokens that the built-in lexicon does not know. */
  tenant?: TenantWords | undefined
  /** The words are not split where capitals begin. Then only verbs count: the other reading has the nouns as well. */
  joined?: boolean
}

const conjunctions = new Set([...wordSet(CONJUNCTIONS), ...wordSet(lexicon.FOREIGN_CONJUNCTIONS)])
const nounReads = wordSet(lexicon.NOUN_READS)
const readNouns = wordSet(lexicon.READ_NOUNS)
const plainReadNouns = wordSet(lexicon.PLAIN_READ_NOUNS)
const actNouns = wordSet(lexicon.ACT_NOUNS)
const things = wordSet(lexicon.THINGS)
const namePrepositions = wordSet(lexicon.NAME_PREPOSITIONS)
const results = wordSet('down off live back away')
const foreignReads = wordSet(lexicon.FOREIGN_READS)

/** The reading of an action's name; undefined when no word of it is known. */
export function readName(name: string, about: About): Reading | undefined {
  if (!mixesCase(name)) return readTokens(tokensOf(name), about)
  const reading = readTokens(runsOf(name).flatMap(splitRun), about)
  return higherReading(
    reading,
    readTokens(caselessTokensOf(name), { ...about, described: about.described === true, joined: true }),
  )
}

/**
 * The reading of a name that description and wire explain; undefined where a word of it can be an act, so that they may not. A secret
 * in the name is one, even if they say otherwise.
 */
export function explained(name: string): Reading | undefined {
  const words = withCompounds(lookUp(tokensOf(name)))
  // A word that is a noun as often is one between others, and where there are several.
  const isThingBeside = (word: Word, i: number) =>
    word.noun && !word.adjective && i > 0 && (i < words.length - 1 || word.form === 's')
  const isAct = ({ token, word }: Known, i: number) =>
    actNouns.has(token) ||
    conjunctions.has(token) ||
    (word?.verb === true && (acts(word) || isHard(word)) && !isGenerating(word) && !isThingBeside(word, i))
  const generates = words.some(({ word }) => word !== undefined && isGenerating(word))
  if (words.some(isAct) || (generates && words.some(({ word }) => isHard(word)))) return undefined
  return readOf(words, 'reads')
}

/** A generated thing may be kept or only shown. */
const isGenerating = (word: Word): boolean => word.lemma === 'generate'

const SHOUTED = /(?<=[a-z])[A-Z]{2,}(?![a-z])/g

/**
 * Capitals within a conjunction (`anD`) do not hide that another phrase begins, and capitals at the end of a word do not make a
 * reading verb of it (`widGET`).
 */
const splitRun = (run: string): string[] =>
  conjunctions.has(run.toLowerCase())
    ? [run.toLowerCase()]
    : tokensOf(
        run.replace(SHOUTED, (tail) => (wordOf(tail.toLowerCase())?.kind === 'read' ? tail.toLowerCase() : tail)),
      )

/** A phrase that is not understood makes the whole name unknown, unless the phrase only names things. */
function readTokens(tokens: readonly string[], about: About): Reading | undefined {
  const phrases: string[][] = [[]]
  for (const [i, token] of tokens.entries()) {
    if (conjunctions.has(token) && !/^\d/.test(tokens[i + 1] ?? '') && !/^\d/.test(tokens[i - 1] ?? ''))
      phrases.push([])
    else phrases.at(-1)?.push(token)
  }
  const said = phrases.filter((phrase) => phrase.length > 0)
  const read = (phrase: string[], i: number) =>
    readPhrase(phrase, i === 0 ? about : { ...about, described: false }) ??
    (said.length > 1 && !namesThings(phrase, said[i - 1], about) ? NOT_UNDERSTOOD : undefined)
  return strictest(said.map(read))
}

/**
 * Whether a phrase only names things: `name_and_address` does, `get_and_text` and `user_and_text_customer` may not. Where the
 * description reads, its last word may be an unknown plural.
 */
function namesThings(phrase: readonly string[], before: readonly string[] = [], { described }: About): boolean {
  if (before.length === 1 || (phrase.length > 1 && isAlsoVerb(phrase[0] ?? ''))) return false
  return lookUp(phrase).every((known, i, all) => {
    const isPlural = i === all.length - 1 && !known.word && known.token.endsWith('s')
    return isThing(known) || (described && (isPlural || mayBeThing(known)))
  })
}

function readPhrase(tokens: readonly string[], about: About): Reading | undefined {
  const words = withCompounds(lookUp(tokens, about.tenant))
  const at = readingAt(words, about.described)
  const verb = words[at]?.word
  if (verb) return readBy(verb, at, words, about)
  if (namesRead(words, about.described)) return readOf(words, tokens.at(-1) ?? '')
  if (readsObject(headOf(words))) return { kind: 'read', word: words[0]?.token ?? '' }
  const act = actIn(words)
  if (act) return actOf(act, words, about.outward)
  const hard = about.joined ? undefined : strictest(words.flatMap(({ word }) => (isHard(word) ? readingOf(word) : [])))
  const [first] = tokens
  if (!hard && first !== undefined && foreignReads.has(first)) return { kind: 'read', word: first }
  return words.some(({ word }) => reads(word)) ? strictest([NOT_UNDERSTOOD, hard]) : hard
}

const strictest = (readings: readonly (Reading | undefined)[]) =>
  readings.reduce<Reading | undefined>(higherReading, undefined)

/** In names, gerunds, participles and plurals of nouns are things and no acts (`deleted_items`, `orders`, `billing`). */
const isVerb = (word: Word | undefined): word is Word =>
  word !== undefined && word.verb && (word.form === 'plain' || (word.form === 's' && !word.noun))

const reads = (word: Word | undefined): word is Word => isVerb(word) && tierOf(word) === 'AUTO'
const acts = (word: Word | undefined): word is Word => isVerb(word) && tierOf(word) !== 'AUTO'
const mayBeNoun = ({ lemma, noun }: Word) => noun || nounReads.has(lemma)

/** Whether a word is known to name a thing. */
const isThing = ({ token, word }: Known) =>
  isPlainWord(token) ||
  readNouns.has(token) ||
  things.has(token) ||
  (word !== undefined && (!isVerb(word) || word.noun))

const LETTERS_MAX = 24

/** Whether a word is two things written together (`testplan`, `dbsize`). */
function isPair(token: string): boolean {
  if (token.length > LETTERS_MAX) return false
  const isPiece = (text: string) =>
    isPlainWord(text) || things.has(text) || nounReads.has(text) || (!wordOf(text) && isNoun(text))
  for (let at = 2; at < token.length - 2; at += 1)
    if (isPiece(token.slice(0, at)) && isPiece(token.slice(at))) return true
  return false
}

/** Whether a word may be a thing, where the description reads. */
const mayBeThing = (known: Known): boolean =>
  isThing(known) || (!known.word && (isNoun(known.token) || isPair(known.token)))

/** The words up to the thing that is named: what it is sorted by follows it (`usage_by_contract`). */
function headOf(words: readonly Known[]): readonly Known[] {
  const at = words.findIndex(({ token }, i) => i > 0 && namePrepositions.has(token))
  return at < 0 ? words : words.slice(0, at)
}

/** The place of the verb by which a phrase reads; -1 when it has none, or when another word may be its verb. */
function readingAt(words: readonly Known[], described = false): number {
  const at = words.findIndex(({ word }) => reads(word))
  const verb = words[at]?.word
  if (at <= 0 || !verb) return at
  const before = words.slice(0, at)
  if (before.some(({ word }) => acts(word) && !word.noun)) return -1
  // The plural of a word that is a noun as often names things (`order_returns`).
  if (verb.form === 's' && mayBeNoun(verb) && at === words.length - 1) return -1
  if (described || !mayBeNoun(verb)) return at
  const isName = (known: Known, i: number) =>
    (isThing(known) && !acts(known.word)) || (i > 0 && /[^su]s$/.test(known.token))
  return before.every(isName) && !acts(words.at(-1)?.word) ? at : -1
}

/** Whether a word beside the reading verb does more than name what is read. */
function actsBeside(words: readonly Known[], i: number, at: number): boolean {
  const word = words[i]?.word
  const isLast = i === words.length - 1
  // The question is whether it could be done.
  if (words[i - 1]?.token === 'can' && i - 1 > at) return false
  if (i < at || !acts(word) || (word.noun && !(word.adjective && isLast))) return false
  const verb = words[at]?.word
  if (!verb || (nounReads.has(verb.lemma) && at === 0)) return true
  return isLast ? word.form !== 's' : !readNouns.has(words.at(-1)?.token ?? '')
}

/** `get_funds_transferred`, `get_site_down`: what is brought about. */
function isResult(words: readonly Known[]): boolean {
  const last = words.at(-1)
  return words.length > 2 && ((last?.word?.form === 'ed' && isHard(last.word)) || results.has(last?.token ?? ''))
}

function readBy(verb: Word, at: number, words: readonly Known[], { described = false }: About): Reading | undefined {
  if (verb.lemma === 'get' && isResult(words)) return NOT_UNDERSTOOD
  const beside = words.flatMap(({ word }, i) => (word && actsBeside(words, i, at) ? readingOf(word) : []))
  return strictest([readingOf(verb), ...beside, ...raisedReadings(verb, words), actingRead(verb, words, described)])
}

/** The verb of a phrase that does not read: its first word, else its last word, else the first verb between them. */
function actIn(words: readonly Known[]): Word | undefined {
  const [first, last] = [words.at(0)?.word, words.at(-1)?.word]
  if (acts(first)) return first
  return acts(last) ? last : words.map(({ word }) => word).find(acts)
}

/** Whether a phrase names a thing that is read (`git_status`, `pods_log`), when nothing in it can only be an act. */
function namesRead(words: readonly Known[], described: boolean | undefined): boolean {
  const [first, last] = [words[0], headOf(words).at(-1)]
  const tail = last?.token ?? ''
  if (!first || words.some(({ token, word }) => actNouns.has(token) || (acts(word) && !word.noun))) return false
  if (!described)
    return (
      described === undefined && plainReadNouns.has(tail) && words.every((known) => isThing(known) && !acts(known.word))
    )
  const endsRead = readNouns.has(tail) || readNouns.has(words.at(-1)?.token ?? '')
  const isName = (known: Known) => !acts(known.word) || endsRead || (known === last && known.word.form === 's')
  const namesThing = isThing(first) || words.every((known) => mayBeThing(known) || namePrepositions.has(known.token))
  // A plural names things, even of a word that can be an act (`conversation_replies`).
  const isOneAct = ({ word }: Known) => isHard(word) && word.form !== 's'
  return (endsRead || (namesThing && !words.some(isOneAct))) && words.every(isName)
}

/** The reading of a phrase without a reading verb: a secret in the name is one all the same. */
function readOf(words: readonly Known[], word: string): Reading | undefined {
  const [get] = lookUp(['get'])
  return strictest([{ kind: 'read', word }, ...(get?.word ? raisedReadings(get.word, [get, ...words]) : [])])
}
