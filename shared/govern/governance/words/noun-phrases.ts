// Noun phrases of known or quoted words. Each word is looked at a bounded number of times.
import type { Part } from './clauses.ts'
import * as lexicon from './lexicon-commands.ts'
import * as words from './vocabulary.ts'
import { wordOf, wordSet } from './words.ts'

const determiners = wordSet(lexicon.DETERMINERS)
const quantities = wordSet(lexicon.QUANTITIES)
const pronouns = wordSet(lexicon.PRONOUNS)
export const comparatives = wordSet(lexicon.COMPARATIVES)
export const relatives = wordSet('that which who whose where')
const addressed = wordSet(lexicon.ADDRESSED)
const days = wordSet('today yesterday tomorrow tonight now')

/** A longer noun phrase is not understood. */
const WORDS_MAX = 12
const NAMES_MAX = 3

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

/** Reads noun phrases in the words of a clause. */
export class NounPhrases {
  readonly parts: readonly Part[]
  manner: Manner = { causes: false, gets: false, searches: false, follows: false }

  constructor(parts: readonly Part[]) {
    this.parts = parts
  }

  text = (i: number): string => (this.parts[i]?.as === 'word' ? (this.parts[i]?.text ?? '') : '')
  is = (i: number, set: ReadonlySet<string>): boolean => set.has(this.text(i))
  isEnd = (i: number): boolean => i >= this.parts.length

  /** A name in capitals that is no known word, with the two behind it at most; `i` where there is none. */
  protected nameEnd(i: number): number {
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
    return this.nameEnd(i)
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
      const end = this.nameEnd(at)
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
}
