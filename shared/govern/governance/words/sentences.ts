// Divides a description into sentences, clauses and phrases. `descriptions.ts` decides which of their verbs count.
import { OBJECT_MARKERS } from './lexicon.ts'
import * as lexicon from './lexicon-names.ts'
import { fold, tokensOf } from './tokens.ts'
import { isAdjective, isNoun, isParticiple } from './vocabulary.ts'
import { type Known, lookUp, wordOf, wordSet } from './words.ts'

export const objectMarkers = wordSet(OBJECT_MARKERS)
export const openers = wordSet(lexicon.OPENERS)
export const addressed = wordSet(lexicon.ADDRESSED)
export const readable = wordSet(lexicon.READABLE)
export const fillers = wordSet(lexicon.FILLERS)
const enabling = wordSet(lexicon.ENABLING)
const producing = wordSet(lexicon.PRODUCING)

const SENTENCE_END = /[.!?](?=\s|$)|[\n\r]/
const CLAUSE_END = /[,;:()\u2013\u2014]|\s-\s|\b(?:and|or)\b|(?=\bthen\b)/i
/** Names of other operations say nothing of this one. A single known word, or one that joins clauses, is no name, even with capitals. */
const IDENTIFIER = /\b(?:[A-Za-z]+[a-z0-9][A-Z]\w*|\w+_\w+)\b/g
/** Three words or more joined by hyphens (`update-planner-task`) are a name as well, except where a sentence begins. */
const JOINED = /(?<=[^.!?\s]\s{1,2})[a-z]{2,20}(?:-[a-z]{2,20}){2,5}\b/g
/** Two adjectives of one thing are no clauses (`a safe, read-only query`). */
const ADJECTIVES = /\b(an?|the) ([a-z-]{2,20}), (?=[a-z-]{2,20} )/gi
const LABEL = /^\s*(?:\[[^\]]*\]|\*\*[^*]*\*\*|\([^)]*\)|[^\p{L}]+)\s*/u

const PHRASE_WITHIN = 8
const INTRODUCTION_WITHIN = 5

/** The sentences of a text, with `x` in the place of names of other operations. */
export const sentencesOf = (text: string): string[] =>
  fold(text)
    .replaceAll(IDENTIFIER, (name) => (isWord(name.toLowerCase()) ? name.toLowerCase() : 'x'))
    .replaceAll(JOINED, 'x')
    .replaceAll(ADJECTIVES, (all, article: string, word: string) =>
      isAdjective(word.toLowerCase()) && !isNoun(word.toLowerCase()) ? `${article} ${word} ` : all,
    )
    .split(SENTENCE_END)
    .filter((sentence) => sentence.trim() !== '')

const isWord = (text: string) => text === 'and' || text === 'then' || wordOf(text) !== undefined

/** A sentence without the label or the punctuation before it (`[Beta]`, `**Note**`, `(v2)`). */
export const withoutLabel = (sentence: string): string => sentence.replace(LABEL, '')

/** The words of each clause of a sentence, without their introductions. */
export const clausesOf = (sentence: string): (readonly Known[])[] =>
  sentence.split(CLAUSE_END).map((clause) => withoutIntroduction(lookUp(tokensOf(clause))))

/** The words without an introduction: of `enables you to view the page` and `a tool for viewing pages` it leaves what is viewed. */
export function withoutIntroduction(words: readonly Known[]): readonly Known[] {
  const [first] = words
  const opening = first?.word?.lemma ?? first?.token.replace(/s$/, '') ?? ''
  const at = enabling.has(opening) ? words.findIndex(({ token }) => token === 'to') : -1
  if (at > 0 && at < INTRODUCTION_WITHIN) return words.slice(at + 1)
  const end = words.findIndex(({ token }) => token === 'for')
  return end > 0 && words.slice(0, end).every(({ token }) => openers.has(token)) ? words.slice(end + 1) : words
}

/** The noun phrase behind a verb (`a Loki log query` of `a Loki log query against the server`), as far as it is looked for. */
export function phraseBehind(words: readonly Known[], i: number): readonly Known[] {
  const phrase = words.slice(i + 1, i + 1 + PHRASE_WITHIN)
  const ends = ({ token, word }: Known, at: number) =>
    at > 0 &&
    ((fillers.has(token) && !objectMarkers.has(token) && token !== 'only') ||
      word?.form === 'ing' ||
      isParticiple(token))
  const end = phrase.findIndex(ends)
  return end < 0 ? phrase : phrase.slice(0, end)
}

/** The last word of the noun phrase behind a verb. */
export const headBehind = (words: readonly Known[], i: number): string => phraseBehind(words, i).at(-1)?.token ?? ''

/** Whether the thing that is run or made is itself a read (`runs a health check`), or the text says when to use the action (`call this first`). */
export function isRead(words: readonly Known[], i: number): boolean {
  const word = words[i]?.word
  const lemma = word?.lemma ?? words[i]?.token.replace(/s$/, '') ?? ''
  const runs = word?.kind === 'execute'
  if (!runs && !producing.has(lemma)) return false
  const head = headBehind(words, i)
  return addressed.has(words[i + 1]?.token ?? '') || (readable.has(head) && !(runs && head === 'list'))
}
