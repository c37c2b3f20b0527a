// Noun phrases of known or quoted words, and what selects from them: of, in, since, with an attribute, sorted by. Each word is
// looked at a bounded number of times.
import type { Part } from './clauses.ts'
import * as lexicon from './lexicon-commands.ts'
import { isReceiver } from './objects.ts'
import * as words from './vocabulary.ts'
import { tierOf, wordOf, wordSet } from './words.ts'

const naming = wordSet(lexicon.NAMING)
const formats = wordSet(lexicon.FORMATS)
const languages = wordSet(lexicon.LANGUAGES)
const times = wordSet(lexicon.TIMES)
const selecting = wordSet(lexicon.SELECTING)
const determiners = wordSet(lexicon.DETERMINERS)
const quantities = wordSet(lexicon.QUANTITIES)
const pronouns = wordSet(lexicon.PRONOUNS)
const comparatives = wordSet(lexicon.COMPARATIVES)
const relatives = wordSet('that which who whose where')
const related = wordSet(lexicon.RELATED)
const arranged = wordSet('sorted grouped ordered filtered ranked split limited')
const addressed = wordSet(lexicon.ADDRESSED)
const days = wordSet('today yesterday tomorrow tonight now')
const spans = wordSet(lexicon.SPANS)
const owning = wordSet('own have use need manage')
const persons = wordSet('me us')

/** A longer noun phrase is not understood. */
const WORDS_MAX = 12
const NAMES_MAX = 3

/** Whether a noun is an act (`for deletion`). */
function isActing(noun: string): boolean {
  const word = wordOf(noun)
  return word !== undefined && tierOf(word) !== 'AUTO'
}

export type Phrase = {
  end: number
  /** Its last noun; empty where a name, a value or a pronoun stands alone. */
  head: string
  /** Without an article, a quantity or an owner. */
  bare: boolean
  indefinite: boolean
  counted: boolean
  /** A name or a value says which one. */
  named: boolean
  /** Speaks of a new one. */
  fresh: boolean
}

/** What the verb of the clause does with its object. */
export type Manner = {
  /** A participle behind the object says what is brought about (`get the invoice paid`). */
  causes: boolean
  /** The object may be had rather than read. */
  gets: boolean
  searches: boolean
  /** The clause goes on with another. */
  follows: boolean
}

export class Phrases {
  readonly parts: readonly Part[]
  manner: Manner = { causes: false, gets: false, searches: false, follows: false }
  readonly #from: number

  constructor(parts: readonly Part[]) {
    this.parts = parts
    this.#from = parts.findIndex(({ text }) => text === 'from' || text === 'compare')
  }

  text = (i: number): string => (this.parts[i]?.as === 'word' ? (this.parts[i]?.text ?? '') : '')
  is = (i: number, set: ReadonlySet<string>): boolean => set.has(this.text(i))
  isEnd = (i: number): boolean => i >= this.parts.length

  /** A name in capitals that is no known word, with the two behind it at most; `i` where there is none. */
  #name(i: number): number {
    let end = i
    while (end < i + NAMES_MAX && this.isName(end)) end += 1
    return end
  }

  isName(i: number): boolean {
    const part = this.parts[i]
    if (part?.as !== 'word' || !part.name || part.text.endsWith("'s")) return false
    const word = wordOf(part.text)
    return !/(?:ing|ed|i[sz]e|ify)$/.test(part.text) && (!word || !word.verb || word.noun) && !relatives.has(part.text)
  }

  #isOwner(i: number): boolean {
    const text = this.text(i)
    return text.endsWith("'s") && (words.isNoun(text.slice(0, -2)) || this.parts[i]?.name === true)
  }

  #isValue(i: number): boolean {
    const part = this.parts[i]
    if (!part) return false
    if (part.as === 'literal') return !/[?#]|:\/\/[^/]*@/.test(part.text)
    return part.as !== 'word' ? part.as !== 'sign' : words.isIdentifier(part.text)
  }

  /** The numbers and values behind the head of a phrase. */
  #values(i: number, head: string): number {
    const part = this.parts[i]
    if (!part) return i
    const isMany = words.isPlural(head)
    if (part.as === 'number' || (part.as === 'word' && words.isIdentifier(part.text))) return i + 1
    if (part.text.includes('@') && !addressed.has(head)) return i
    if (isMany) return part.as === 'handle' || part.as === 'literal' ? i + Number(this.#isValue(i)) : i
    if (this.#isValue(i)) return i + 1
    return this.#name(i)
  }

  /** The noun phrase at `i`. `selects`: it is behind a preposition, where names and amounts may be. */
  phrase(i: number, selects = false): Phrase | undefined {
    const found: Phrase = {
      end: i,
      head: '',
      bare: true,
      indefinite: false,
      counted: false,
      named: false,
      fresh: false,
    }
    let at = this.#determined(i, found)
    if (at === i && this.#isValue(at)) {
      const unit = this.text(at + 1)
      if (this.parts[at]?.as !== 'number' && this.parts[at]?.as !== 'word')
        return { ...found, end: at + 1, named: true }
      if (
        this.isEnd(at + 1) ||
        !(words.isNoun(unit) || words.isAdjective(unit) || words.isMoneyWord(unit) || words.isParticiple(unit))
      )
        return { ...found, end: at + 1, named: true }
    }
    if (selects) {
      const end = this.#name(at)
      if (end > at && !(words.isNoun(this.text(end)) && !this.isEnd(end))) return { ...found, end, named: true }
      if (end > at) at = end
    }
    const [last, head] = this.#head(at, selects)
    if (head === '') return this.is(i, pronouns) ? { ...found, end: at > i ? at : i + 1, named: true } : undefined
    const end = this.#values(last + 1, head)
    return { ...found, end, head, named: end > last + 1 }
  }

  /** Reads articles, quantities and owners, and notes what they say. */
  #determined(i: number, found: Phrase): number {
    let at = i
    while (at < i + WORDS_MAX) {
      if (this.is(at, quantities)) found.counted ||= !/^(?:all|both|each|every|any)$/.test(this.text(at))
      else if (this.is(at, determiners)) found.indefinite ||= /^an?$/.test(this.text(at))
      else if (!this.#isOwner(at) && !(at > i && this.text(at) === 'of')) break
      if (this.is(at, comparatives) && this.text(at + 1) === 'than') at += 1
      at += 1
    }
    if (/^(?:at)$/.test(this.text(at)) && /^(?:least|most)$/.test(this.text(at + 1))) at += 2
    if (this.is(at, comparatives) && this.text(at + 1) === 'than') at += 2
    found.bare = at === i
    found.counted ||= found.bare && this.parts[at]?.as === 'number'
    found.fresh = found.bare && /^(?:new|extra|additional|further|fresh)$/.test(this.text(at))
    return at
  }

  /** Where the last noun of the words at `i` is. Behind a plural one noun at most follows (`orders table`). */
  #head(i: number, selects: boolean): [number, string] {
    let found: [number, string] = [-1, '']
    let many = -1
    for (let at = i; !this.isEnd(at) && at < i + WORDS_MAX; at += 1) {
      const part = this.parts[at]
      const text = this.text(at)
      const isNumber = part?.as === 'number' || (part?.as === 'word' && words.isIdentifier(text))
      if (isNumber ? found[1] !== '' : text === '') break
      const counts = this.parts[at + 1]?.as === 'number' && words.isAdjective(text)
      const isNoun = (words.isNoun(text) && !counts) || (selects && words.isMoneyWord(text))
      const isKindOf = words.isMoneyWord(text) && words.isNoun(this.text(at + 1))
      if (
        !isNoun &&
        !isKindOf &&
        !isNumber &&
        !words.isAdjective(text) &&
        !words.isParticiple(text) &&
        !this.#isOwner(at)
      )
        break
      if (found[1] !== '' && (days.has(text) || (this.manner.causes && words.isParticiple(text)))) break
      if (isNoun && many >= 0 && (at > many + 1 || words.isPlural(text))) break
      if (isNoun) found = [at, text]
      if (isNoun && words.isPlural(text)) many = at
      else if (many >= 0 && !isNoun) break
    }
    return found
  }

  /** What selects from the noun phrase before `i`; where it ends. */
  selection(i: number): number {
    let at = i
    for (let from = -1; from !== at && !this.isEnd(at);) {
      from = at
      at = this.#selected(at)
    }
    return at
  }

  #selected(at: number): number {
    const text = this.text(at)
    if (text === '') return at
    const next = this.text(at + 1)
    if (naming.has(text)) return this.#named(at)
    if (arranged.has(text) && (next === 'by' || next === 'to')) return this.#behind(at + 2, at)
    if (text === 'as' && formats.has(/^an?$/.test(next) ? this.text(at + 2) : next))
      return at + (/^an?$/.test(next) ? 3 : 2)
    if (text === 'out' && next === 'of' && /^(?:stock|date|office|memory)$/.test(this.text(at + 2))) return at + 3
    if (comparatives.has(text) && next === 'than') return this.#behind(at + 2, at)
    if (text === 'to') return this.#related(at)
    if (selecting.has(text)) return this.#behind(at + 1, at)
    if (times.has(text)) return at + 1
    if (relatives.has(text) && !this.manner.causes) return this.described(at + 1) ? this.parts.length : at
    if (/^(?:i|we)$/.test(text) && owning.has(next)) return at + 2
    const span = this.phrase(at)
    if (span && spans.has(span.head) && /^(?:this|last|next|every|each)$/.test(text)) return span.end
    if (this.manner.causes)
      return this.manner.follows && words.isAdjective(text) && !words.isParticiple(text) ? at + 1 : at
    if (words.isParticiple(text)) return this.isEnd(at + 1) && words.isGrave(text) ? at : at + 1
    return words.isAdjective(text) ? at + 1 : at
  }

  /** `from Monday to Friday`, `assigned to me`. */
  #related(at: number): number {
    if (this.is(at - 1, related)) return this.is(at + 1, persons) ? at + 2 : this.#behind(at + 1, at)
    if (this.#from < 0 || this.#from > at) return at
    const phrase = this.phrase(at + 1, true)
    const isRange =
      phrase && (spans.has(phrase.head) || (phrase.named && phrase.bare) || words.isMoneyWord(phrase.head))
    return isRange ? phrase.end : at
  }

  /** A noun phrase behind a preposition; `otherwise` where there is none. */
  #behind(at: number, otherwise: number): number {
    if (this.is(at, persons) && !this.manner.gets) return at + 1
    const phrase = this.phrase(at, true)
    if (!phrase) return this.is(at, languages) || this.is(at, times) ? at + 1 : otherwise
    const preposition = this.text(at - 1)
    if (preposition === 'on' && this.manner.gets && !spans.has(phrase.head) && !phrase.named) return otherwise
    if (preposition === 'for' && !this.manner.searches && phrase.bare && !phrase.named && isActing(phrase.head))
      return otherwise
    if (preposition === 'with' && isReceiver(phrase.head)) return otherwise
    const isPrice = this.parts[at]?.as === 'number' && !this.parts[at]?.text.includes(':')
    return preposition === 'at' && isPrice ? otherwise : phrase.end
  }

  #named(at: number): number {
    const part = this.parts[at + 1]
    if (part?.as === 'quote' || part?.as === 'literal' || part?.as === 'handle') return at + 2
    if (part?.as !== 'word') return at
    return Math.max(this.#name(at + 1), at + 2)
  }

  /** Whether the words from `i` to the end say how something is. */
  described(i: number): boolean {
    let wasPhrase = false
    let at = i
    while (!this.isEnd(at)) {
      const text = this.text(at)
      const isLink =
        this.parts[at]?.as === 'sign' ||
        /^(?:not|than|to|as|up|down|out|because|there|able|much|long)$/.test(text) ||
        [words.vocabulary().states, selecting, times, comparatives].some((set) => set.has(text)) ||
        (words.isParticiple(text) && !words.isNoun(text))
      const phrase = isLink ? undefined : this.phrase(at, true)
      if (!isLink && !phrase && !words.isAdjective(text)) return false
      if (phrase && wasPhrase && !spans.has(phrase.head)) return false
      wasPhrase = phrase !== undefined
      at = phrase?.end ?? at + 1
    }
    return at > i
  }
}
