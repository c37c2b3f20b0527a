// Splits a command into clauses, at punctuation, line breaks and conjunctions. Punctuation inside a word, number, file name or
// link does not split. One pass reads the text, and no pattern looks further than a bounded number of characters.
import { ADVERBS, CONJUNCTIONS } from './lexicon-plain.ts'
import { fold, tokensOf } from './tokens.ts'
import { wordSet } from './words.ts'

/** The word for the sign before a channel or person (`#general`, `@ann`). */
export const HANDLE = '@'

/** Stands before a link or host, which may receive what is read. */
const PLACE = 'internet'

/** `quote`: a text in quotation marks. `literal`: a link, address, file, path or identifier. `sign`: an operator. */
export type Part = {
  as: 'word' | 'number' | 'literal' | 'quote' | 'handle' | 'sign'
  /** In lower case. */
  text: string
  /** The words in it, by which its meaning is raised. */
  words: readonly string[]
  /** Begins with a capital, and others of the command do not. */
  name: boolean
}

/** `joined`: follows the clause before it without the end of a sentence. */
export type Clause = { parts: readonly Part[]; joined: boolean }

const borders = new Set([...wordSet(CONJUNCTIONS), ...wordSet(ADVERBS)])
const wordsIn = (text: string) => tokensOf(text.toLowerCase())

/** What can begin at a place, in the order in which it is tried. */
const FORMS: readonly [Part['as'] | 'border' | 'space' | 'end', RegExp][] = [
  ['end', /[\n\r\v\f\u0085\u2028\u2029]/uy],
  ['space', /\s/uy],
  ['literal', /https?:\/\/[^\s"'<>;|()]+/iuy],
  ['literal', /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/uy],
  [
    'quote',
    /"[^"\n]{1,200}"|\u201c[^\u201d\n]{1,200}\u201d|\u00ab[^\u00bb\n]{1,200}\u00bb|`[^`\n]{1,200}`|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?!\p{L})/uy,
  ],
  ['number', /[$\u20ac\u00a3\u00a5\u20b9\u20bf]\s?\d[\d.,]{0,24}(?:[kmbKMB]\b)?/uy],
  ['number', /#\d{1,20}\b/uy],
  ['handle', /[#@]\p{L}[\p{L}\p{N}_-]{0,80}/uy],
  [
    'literal',
    /(?:[~.]{0,2}\/)?(?:[\p{L}\p{N}_.-]{1,60}\/){0,12}[\p{L}\p{N}_-]{1,60}(?:\.[\p{L}\p{N}_-]{1,60}){0,8}\.(?:pdf|csv|txt|md|json|ya?ml|xml|html?|docx?|xlsx?|pptx?|png|jpe?g|log|sql|toml|env|ts|js|py|go|rs|sh|java)\b/iuy,
  ],
  ['literal', /(?:~|\.{1,2})?\/[\p{L}\p{N}_.-]{1,60}(?:\/[\p{L}\p{N}_.-]{1,60}){0,12}/uy],
  ['literal', /(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?:com|org|net|io|dev|app|eu|de|uk|example|internal|local)\b/iuy],
  ['number', /\d{1,4}(?:[.:,/-]\d{1,6}){0,6}(?:st|nd|rd|th|%|[kKmMgGtT][bB]?|[hsd]|ms|x)?(?![\p{L}\p{N}_])/uy],
  ['word', /[\p{L}\p{N}_]{1,80}(?:-[\p{L}\p{N}_]{1,80}){0,6}(?:['\u2019]\p{L}{1,3})?/uy],
  ['word', /\u00b0\p{L}{0,2}|%/uy],
  ['sign', /[<>]=?|!?={1,2}|[*/+~-](?=\s)/uy],
]

const MONEY_SIGN = /^[$\u20ac\u00a3\u00a5\u20b9\u20bf]/

function wordsOf(as: Part['as'], text: string): readonly string[] {
  if (as === 'sign') return []
  if (as === 'handle') return [HANDLE, ...wordsIn(text)]
  const words = wordsIn(text)
  if (as === 'number') return MONEY_SIGN.test(text) ? ['dollars', ...words] : words
  if (as !== 'literal') return words
  if (text.includes('@')) return ['mailbox', ...words]
  return /:\/\/|\.(?:com|org|net|io|dev|app|eu|de|uk|example)$/.test(text) ? [PLACE, ...words] : words
}

const SHORTENED: Readonly<Record<string, readonly string[]>> = {
  "i'd": ['i', 'would'],
  "i'm": ['i', 'am'],
  "we'd": ['we', 'would'],
  "let's": ['let', 'us'],
}
const QUESTIONS = wordSet('what who where when which that it how')

/** The words of `what's`, `manager's` and `don't`. The word of whom something is keeps its ending. */
function spelledOut(text: string): readonly string[] {
  const plain = text.replaceAll('\u2019', "'")
  const at = plain.indexOf("'")
  if (at < 0) return [plain]
  const start = plain.slice(0, at)
  if (plain.endsWith("n't")) return [plain.slice(0, -3), 'not']
  if (!plain.endsWith("'s")) return SHORTENED[plain] ?? [start, plain.slice(at + 1)]
  return SHORTENED[plain] ?? (QUESTIONS.has(start) ? [start, 'is'] : [plain])
}

const isLower = /\p{Ll}/u
const isName = /^\p{Lu}\p{Ll}/u

class Reader {
  readonly clauses: Clause[] = []
  #parts: Part[] = []
  #joined = false

  /** `joins`: the sentence goes on behind the border. */
  end(joins: boolean): void {
    if (this.#parts.length > 0) {
      this.clauses.push({ parts: this.#parts, joined: this.#joined })
      this.#parts = []
      this.#joined = joins
    } else this.#joined &&= joins
  }

  add(as: Part['as'], written: string, mayBeName: boolean): void {
    const text = written.toLowerCase().replace(/^e-mail/, 'email')
    if (as !== 'word') this.#parts.push({ as, text, words: wordsOf(as, text), name: false })
    else
      for (const word of spelledOut(text)) {
        if (borders.has(word)) this.end(true)
        else this.#parts.push({ as, text: word, words: wordsIn(word), name: mayBeName && isName.test(written) })
      }
  }
}

/** The form that begins at `at`, and where it ends. A character of no form is a border. */
function formAt(text: string, at: number): [(typeof FORMS)[number][0], number] {
  for (const [as, form] of FORMS) {
    form.lastIndex = at
    if (form.test(text)) return [as, form.lastIndex]
  }
  return ['border', at + ((text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1)]
}

const SENTENCE_END = /[.!?;]/

function readClauses(text: string): Clause[] {
  const reader = new Reader()
  const mayHaveNames = isLower.test(text)
  for (let at = 0; at < text.length;) {
    const [as, end] = formAt(text, at)
    const written = text.slice(at, end)
    if (as === 'end') reader.end(false)
    else if (as === 'border') reader.end(!SENTENCE_END.test(written))
    else if (as !== 'space') reader.add(as, written, mayHaveNames)
    at = end
  }
  reader.end(false)
  return reader.clauses
}

/** The clauses of a command. Words with an invisible character between them are read both joined and apart. */
export function clausesOf(command: string): Clause[] {
  const apart = command.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ' ')
  const texts = apart === command ? [command] : [command, apart]
  return texts.flatMap((text) => readClauses(fold(text)))
}

/** All words of a clause, in lower case. */
export const wordsOfClause = ({ parts }: Clause): string[] => parts.flatMap(({ words }) => words)
