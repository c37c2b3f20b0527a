// The words behind a noun phrase that select from it: of, in, since, with an attribute, sorted by. Each word is looked at a bounded
// number of times.
import type { Part } from './clauses.ts'
import * as lexicon from './lexicon-commands.ts'
import { comparatives, NounPhrases, relatives } from './noun-phrases.ts'
import { isReceiver } from './objects.ts'
import * as words from './vocabulary.ts'
import { tierOf, wordOf, wordSet } from './words.ts'

const naming = wordSet(lexicon.NAMING)
const formats = wordSet(lexicon.FORMATS)
const languages = wordSet(lexicon.LANGUAGES)
const times = wordSet(lexicon.TIMES)
const selecting = wordSet(lexicon.SELECTING)
const related = wordSet(lexicon.RELATED)
const arranged = wordSet('sorted grouped ordered filtered ranked split limited')
const spans = wordSet(lexicon.SPANS)
const owning = wordSet('own have use need manage')
const persons = wordSet('me us')

export class Phrases extends NounPhrases {
  readonly #from: number

  constructor(parts: readonly Part[]) {
    super(parts)
    this.#from = parts.findIndex(({ text }) => text === 'from' || text === 'compare')
  }

  /** Where the words end that select from the noun phrase before `i`. */
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
    return Math.max(this.nameEnd(at + 1), at + 2)
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

/** Whether a noun is an act (`for deletion`). */
function isActing(noun: string): boolean {
  const word = wordOf(noun)
  return word !== undefined && tierOf(word) !== 'AUTO'
}
