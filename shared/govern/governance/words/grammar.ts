// The grammar of commands that only read. A clause reads if it parses to its end: a reading verb or a question, noun phrases of
// known or quoted words, and what selects from them. What does not parse is not understood: a second object (`get Bob a car`), a
// result (`get the site down`), an unknown word.
import type { Part } from './clauses.ts'
import { isAlsoVerb } from './compounds.ts'
import * as lexicon from './lexicon-commands.ts'
import type { Manner, Phrase } from './noun-phrases.ts'
import { Phrases } from './phrases.ts'
import * as words from './vocabulary.ts'
import { tierOf, wordOf, wordSet } from './words.ts'

const persons = wordSet('me us')
const being = wordSet('is are was were am')
const doing = wordSet('do does did has have had')
const questions = wordSet('what who where when which why how')
const courtesy = wordSet(lexicon.COURTESY)
const obtaining = wordSet(lexicon.OBTAINING)
const describing = new Set(['look up', ...wordSet(lexicon.DESCRIBING)])
const asked = wordSet(lexicon.ASKED)
const testing = wordSet(lexicon.TESTING)
const notReading = wordSet(lexicon.NOT_READING)
const alsoReading = wordSet(lexicon.ALSO_READING)
const telling = wordSet('give tell')
const asking = wordSet(lexicon.ASKING)
const searching = new Set(['look up', ...wordSet(lexicon.SEARCHING)])
const quoting = new Set([...searching, ...wordSet(lexicon.QUOTING)])
const comparing = wordSet('compare diff')
const languages = wordSet(lexicon.LANGUAGES)

const SHOWING: Manner = { causes: false, gets: false, searches: false, follows: false }

const mannerOf = (verb = ''): Manner => ({
  causes: !describing.has(verb),
  gets: obtaining.has(verb),
  searches: searching.has(verb),
  follows: false,
})

/** `reads`: asks for something that is only read, with the verb if one says so. `tail`: goes on with the clause before it. */
export type Parsed = { as: 'reads' | 'tail' | 'courtesy'; verb?: string | undefined } | undefined

class Parser {
  readonly #in: Phrases
  readonly #after: string | undefined

  constructor(parts: readonly Part[], after: string | undefined) {
    this.#in = new Phrases(parts)
    this.#after = after
  }

  /** Whether the whole rest is a noun phrase with what selects from it. */
  #isObject(i: number, permits: (phrase: Phrase) => boolean): boolean {
    const phrase = this.#in.phrase(i)
    return phrase !== undefined && permits(phrase) && this.#in.isEnd(this.#in.selection(phrase.end))
  }

  #permits(verb: string, phrase: Phrase): boolean {
    const { head, indefinite, counted, fresh, named } = phrase
    if (verb === 'read') return head === '' ? named : words.vocabulary().readables.has(head)
    if (verb === 'return' || (verb === 'give' && (phrase.bare || !words.isPlural(head))))
      return words.vocabulary().reports.has(head)
    if (verb === 'query' && asked.has(head)) return false
    if (testing.has(verb))
      return head === '' ? this.#in.parts[phrase.end - 1]?.as === 'literal' : words.vocabulary().testables.has(head)
    if (head === '' && this.#in.parts[phrase.end - 1]?.as === 'quote') return quoting.has(verb)
    if (!obtaining.has(verb)) return true
    if (words.vocabulary().reports.has(head)) return true
    if (head === '') return this.#in.parts[phrase.end - 1]?.as === 'literal'
    return !indefinite && !counted && !fresh && !(words.vocabulary().possessions.has(head) && !named)
  }

  #verbAt(i: number): string | undefined {
    const text = this.#in.text(i)
    const word = wordOf(text)
    if (alsoReading.has(text) || (telling.has(text) && this.#in.is(i + 1, persons))) return text
    return word?.verb && word.form === 'plain' && tierOf(word) === 'AUTO' && !notReading.has(text)
      ? word.lemma
      : undefined
  }

  #command(i: number): string | undefined {
    const verb = this.#in.text(i) === 'look' ? this.#looking(i) : this.#verbAt(i)
    if (!verb) return undefined
    this.#in.manner = mannerOf(verb)
    let at = i + (this.#in.text(i) === 'look' ? 2 : 1)
    if (this.#in.is(at, persons) && /^(?:show|list|get|fetch|find|give|tell|read|plot)$/.test(verb)) at += 1
    else if (/^(?:search|query|browse)$/.test(verb) && this.#in.text(at) === 'for') at += 1
    else if (/^(?:explain|describe)$/.test(verb) && this.#in.text(at) === 'to' && this.#in.is(at + 1, persons)) at += 2
    if (asking.has(verb) && /^(?:whether|if)$/.test(this.#in.text(at)))
      return this.#in.described(at + 1) ? verb : undefined
    if (asking.has(verb) && this.#in.is(at, questions)) return this.#asks(at) ? verb : undefined
    if (verb === 'translate' && this.#translates(at)) return verb
    if (/^(?:calculate|compute)$/.test(verb) && this.#isSum(at)) return verb
    if (comparing.has(verb) && this.#compares(at)) return verb
    const permitted = this.#isObject(at, (phrase) => this.#permits(verb, phrase))
    if (!permitted || (testing.has(verb) && this.#in.parts.some(({ text }) => text === 'with' || text === 'for')))
      return undefined
    return verb
  }

  /** `look up`, `look at`, `look for`. */
  #looking = (i: number): string | undefined => (/^(?:up|at|for)$/.test(this.#in.text(i + 1)) ? 'look up' : undefined)

  #translates(i: number): boolean {
    const at = this.#in.parts.findIndex(
      (_, j) => j > i && /^(?:to|into)$/.test(this.#in.text(j)) && this.#in.is(j + 1, languages),
    )
    const phrase = at > 0 ? this.#in.phrase(i) : undefined
    return phrase !== undefined && this.#in.selection(phrase.end) === at && this.#in.isEnd(this.#in.selection(at + 2))
  }

  /** Two objects, one behind the other. */
  #compares(i: number): boolean {
    const first = this.#in.phrase(i)
    const second = first && this.#in.phrase(first.end, true)
    return second !== undefined && second.bare && this.#in.isEnd(this.#in.selection(second.end))
  }

  #isSum = (i: number): boolean =>
    !this.#in.isEnd(i) &&
    this.#in.parts.slice(i).every(({ as, text }) => as === 'number' || as === 'sign' || /^[%x]$/.test(text))

  /** `what is …`, `how many …`, `is the database up`. Nobody is asked to do anything. */
  #asks(i: number): boolean {
    let at = i
    if (this.#in.text(at) === 'how') {
      if (!/^(?:many|much|old|long|often|big|large|high|far|is|are|was|does|did|do)$/.test(this.#in.text(at + 1)))
        return false
      at += /^(?:is|are|was|does|did|do)$/.test(this.#in.text(at + 1)) ? 1 : 2
      return this.#in.described(at)
    }
    if (this.#in.is(at, questions)) {
      const word = this.#in.text(at)
      at += 1
      const follows = this.#in.is(at, being) || this.#in.is(at, doing)
      if (/^(?:where|when|why)$/.test(word) && !follows) return false
      if (word === 'what' && this.#in.text(at) === 'about') return false
      return this.#in.described(at)
    }
    if (!this.#in.is(at, being) && !this.#in.is(at, doing)) return false
    at += 1
    if (this.#in.text(at) === 'there' || (this.#in.text(i) === 'am' && this.#in.text(at) === 'i'))
      return this.#in.described(at + 1)
    const subject = this.#in.phrase(at, true)
    return subject !== undefined && this.#in.described(subject.end)
  }

  /** Whether a noun phrase alone asks for a report (`status of order 5`), or is what somebody needs. */
  #isReport(i: number): boolean {
    if (this.#verbAt(i)) return false
    return this.#isObject(i, ({ head, counted, fresh }) => {
      const isMore = this.#in.text(i) === 'more'
      return (
        words.vocabulary().reports.has(head) && (isMore || (!counted && !fresh)) && !/^(?:id|name|time)s?$/.test(head)
      )
    })
  }

  /** Whether the clause only goes on with the one before it. */
  #isTail(): boolean {
    if (this.#in.isEnd(this.#in.selection(0))) return true
    const phrase = this.#in.phrase(0, true)
    if (!phrase || !this.#in.isEnd(this.#in.selection(phrase.end))) return false
    return !this.#opensLikeVerb(phrase)
  }

  /** Whether a noun without an article may be a verb here: `contact customers`, but not `phone numbers`. */
  #opensLikeVerb({ bare, head, end }: Phrase): boolean {
    const first = this.#in.text(0)
    const word = wordOf(first)
    if (word?.verb && word.form === 'plain' && tierOf(word) !== 'AUTO') return true
    if (!bare || end === 1 || words.isPlural(first)) return false
    if (first === head) return !/^(?:number|word)$/.test(this.#in.parts[1]?.as ?? '') || this.#in.isName(1)
    if (words.isAdjective(first) || words.isParticiple(first) || !words.isNoun(first)) return false
    return isAlsoVerb(first) || (words.isPlural(head) && !words.vocabulary().reports.has(head))
  }

  parse(): Parsed {
    const from = this.#in.parts.findIndex(
      ({ as, text }, i) => !(as === 'word' ? courtesy.has(text) || this.#isBeing(i) : as === 'number' || as === 'sign'),
    )
    if (from < 0)
      return { as: this.#in.parts.every(({ as, text }) => as === 'word' || /^\d+$/.test(text)) ? 'courtesy' : 'tail' }
    const start = this.#in.is(from, persons) && /^(?:let|help)$/.test(this.#in.text(from - 1)) ? from + 1 : from
    const verb = this.#command(start)
    if (verb) return { as: 'reads', verb }
    this.#in.manner = SHOWING
    if (this.#asks(from) || (from > 0 && this.#asks(from - 1))) return { as: 'reads' }
    this.#in.manner = mannerOf('get')
    if (this.#isReport(from)) return { as: 'reads' }
    this.#in.manner = { ...mannerOf(this.#after), follows: true }
    return this.#isTail() ? { as: 'tail' } : undefined
  }

  #isBeing = (i: number): boolean => i > 0 && this.#in.text(i) === 'm'
}

/** `after`: the verb of the clause before, with which this one may go on. */
export const parseClause = (parts: readonly Part[], after?: string): Parsed => new Parser(parts, after).parse()
