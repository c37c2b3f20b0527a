// Finds programs in any text of a payload, under any name of a field: statements that write, shell commands, scripts and HTTP
// requests. Prose that mentions one is not a program. The search takes linear time, because an expression matches only a bounded
// piece after a first word.
import { CHARACTERS, charactersOf, fold } from '../words/tokens.ts'
import { graphReads, isWritingMethod, isWritingRequest, textRequestsWrite, WRITING_METHODS } from './requests.ts'
import { formOf, MARKS, QUERY_FORMS, READING_FORMS, shellForms, SQL_FORMS, SYSTEM_CALL } from './forms.ts'
import { isPureFunction, readsOnly } from './sql.ts'
import type { Json } from '../../../base/lib/json.ts'
import { looksLikeCode, ofNames, type Role } from '../payload/fields.ts'
import type { Member } from '../payload/members.ts'

type Program = 'sql' | 'shell' | 'http'

type Form = { program: Program; matches: (following: string) => boolean }

/** Collects the programs of a payload, member by member. */
export class Programs {
  readonly #found = new Set<Program>()

  has(program: Program): boolean {
    return this.#found.has(program)
  }

  see({ value, characters, role, name, isNamed }: Member): void {
    if (isNamed && isWritingName(name)) this.#found.add('sql')
    if (typeof value === 'string') this.#seeForm(value, characters)
    else if (Array.isArray(value)) this.#seeList(value)
    else if (typeof value === 'object' && value !== null && isWritingRequest(value)) this.#found.add('http')
    if (role && value !== undefined && typeof value !== 'object') this.#seeField(role, String(value))
  }

  #seeForm(text: string, characters?: number): void {
    const program = programIn(text, characters)
    if (program) this.#found.add(program)
  }

  /** A list may hold the words of one command. */
  #seeList(list: readonly Json[]): void {
    if (list.length > 1 && list.every((element) => typeof element === 'string')) this.#seeForm(list.join(' '))
  }

  #seeField(role: Role, text: string): void {
    const [program, holds] = BY_ROLE[role] ?? []
    if (program && text.trim() !== '' && holds?.(text)) this.#found.add(program)
  }
}

const SEEN_MAX = 400

/** Names of writing operations of databases without SQL. */
const OPERATIONS: ReadonlySet<string> = new Set(
  `deletemany deleteone insertmany insertone updatemany updateone replaceone bulkwrite findandmodify findoneanddelete
  findoneandupdate findoneandreplace dropdatabase dropindexes dropcollection renamecollection mapreduce deleteitem putitem
  updateitem batchwriteitem transactwriteitems deletetable flushall flushdb _delete_by_query _update_by_query $out $merge
  $where $function $accumulator $currentdate $setoninsert`.split(/\s+/),
)

/** Whether the name of a member, or a whole text, is an operation that writes. */
const isWritingOperation = (name: string): boolean => name.length < 24 && OPERATIONS.has(name.toLowerCase())

/** Where a program may begin: behind a border and words of courtesy. */
const BEGINNING = String.raw`(?:^|[;\n"'\x60|&{}()[\]=:>,.!?\\/-] ?)(?:(?:please|run|execute|then|and|now|just|sql|query|command) ){0,4}`
const FIRST_WORD = new RegExp(`${BEGINNING}([a-z][\\w.-]*)`, 'gi')
const CAPITALS = /\b[A-Z]{3,8}\b/g

type Index = { forms: ReadonlyMap<string, readonly Form[]>; opening: RegExp }

let made: Index | undefined

/** All forms by their first word, built on first use. `opening` matches every text that one of them or a statement begins in. */
const index = () => (made ??= makeIndex())

function makeIndex(): Index {
  const forms = new Map<string, Form[]>()
  const enter = (word: string, form: Form) => forms.set(word, [...(forms.get(word) ?? []), form])
  for (const [word, source] of Object.entries(SQL_FORMS)) enter(word, { program: 'sql', matches: sqlForm(source) })
  for (const [word, form] of shellForms()) enter(word, { program: 'shell', matches: (text) => form.test(text) })
  const target = /^ (?:\/|https?:)\S/i
  for (const word of WRITING_METHODS.split(' ')) enter(word, { program: 'http', matches: (text) => target.test(text) })
  const words = [...forms.keys(), ...Object.keys({ ...QUERY_FORMS, ...READING_FORMS })].map((word) =>
    RegExp.escape(word),
  )
  return { forms, opening: new RegExp(`(?:^ |${BEGINNING})(?:${words.join('|')})(?![a-z])`, 'i') }
}

const sqlForm = (source: string) => (following: string) => formOf(source).test(following.replaceAll('\n', ' '))

/** Whether a text begins with the name or path of a shell command. */
function isCommand(text: string): boolean {
  const command = text.trim().toLowerCase().split(/\s/, 1)[0]?.split(/[\\/]/).at(-1) ?? ''
  return (
    index()
      .forms.get(command)
      ?.some(({ program }) => program === 'shell') ?? false
  )
}

/** The program that begins at one of the `words` of a text. */
function programAt(text: string, words: RegExp): Program | undefined {
  words.lastIndex = 0
  for (let match = words.exec(text); match; match = words.exec(text)) {
    const known = index().forms.get((match[1] ?? match[0]).toLowerCase())
    if (!known) continue
    const following = text.slice(words.lastIndex, words.lastIndex + SEEN_MAX)
    const form = known.find(({ matches }) => matches(following))
    if (form) return form.program
  }
  return undefined
}

function callsSystem(text: string): boolean {
  for (let at = text.indexOf('('); at >= 0; at = text.indexOf('(', at + 1)) {
    if (/^\((?:e?s|ed|ing)\)/.test(text.slice(at, at + 5))) continue
    if (SYSTEM_CALL.test(text.slice(Math.max(0, at - 48), at))) return true
  }
  return false
}

const CALL = /(?<![\w$.])([\w$.]*[\w"\]`])(?:\(| \( ?(?=[\d'"@$]))/g
const LOCKS = /\bfor (?:update|share|no key|key share)\b|\binto (?:outfile|dumpfile|temp|[@#]|\w+ from)/i

const GRAPH_WRITE = /\b(?:delete \w+(?=$|[\s,])|set \w+[.:]\w|remove \w+[.:]\w|(?:create|merge) ?\(|call \w)/i

/** Whether a statement with the form of a reading one contains a part that could write. */
function mayWrite(text: string): boolean {
  if (LOCKS.test(text) || programAt(text, /[a-z]+/gi) === 'sql') return true
  if (/^\s*(?:optional )?match\b/i.test(text) && GRAPH_WRITE.test(text)) return true
  return [...text.matchAll(CALL)].some(([, name = '']) => !isPureFunction(name.toLowerCase()))
}

const OPENING = /^[\s("'[{]*([a-z]+)/i

function startsLike(text: string, table: Readonly<Record<string, string>>): boolean {
  const opening = OPENING.exec(text)
  const word = opening?.[1]?.toLowerCase() ?? ''
  const source = Object.hasOwn(table, word) ? table[word] : undefined
  if (!opening || source === undefined) return false
  return sqlForm(source)(text.slice(opening[0].length, opening[0].length + SEEN_MAX))
}

const SIGN = new RegExp(MARKS.map(([sign]) => RegExp.escape(sign)).join('|'))

const marked = (text: string) => SIGN.test(text) && MARKS.some(([sign, mark]) => text.includes(sign) && mark.test(text))

function programOf(text: string): Program | undefined {
  const first = index().opening.test(text) ? programAt(text, FIRST_WORD) : undefined
  const found = first ?? programAt(text, CAPITALS)
  if (found) return found
  if (marked(text) || callsSystem(text)) return 'shell'
  return textRequestsWrite(text) ? 'http' : undefined
}

/** Replaces each run of white space by one space or line break, so that expressions need not match runs. */
const flatten = (text: string) =>
  /[^\S \n]|\s\s|\$\{?IFS/.test(text)
    ? text.replaceAll(/(?:\s|\$\{?IFS\}?)+/g, (space) => (/[\n\r\u2028\u2029]/.test(space) ? '\n' : ' '))
    : text

const COMMENT_MARKS = /\/\*!?\d*|\*\//g
const COMMENTS = /\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)|(?:--|#)[^\n]*/g

/** The text with the content of its comments, and without it, because interpreters differ in which one they run. */
const versionsOf = (text: string) =>
  /\/\*|--|#/.test(text) ? [text.replaceAll(COMMENT_MARKS, ' '), text.replaceAll(COMMENTS, ' ')] : [text]

/** Finds statements that may write although their form does not show it: reading ones, and short ones that end in `;`. */
function unproven(text: string, version: string): Program | undefined {
  const isShort = /;\s?$/.test(version) && startsLike(version, QUERY_FORMS)
  return isShort || (startsLike(version, READING_FORMS) && !readsOnly(text) && mayWrite(version)) ? 'sql' : undefined
}

/** Whether a text has neither the signs of a program nor a word that begins one. */
const isProse = (text: string, characters: number) =>
  !(characters & CHARACTERS.code) && !/[A-Z]{3}| {2}|--|\/\*/.test(text) && !index().opening.test(text)

/** The kind of program in a text; undefined for prose, names, numbers, and statements that are proven to read. */
function programIn(text: string, characters = charactersOf(text)): Program | undefined {
  if (!/[\s("'?&{]/.test(text)) return isWritingOperation(text) ? 'sql' : undefined
  if (isProse(text, characters)) return undefined
  for (const version of versionsOf(fold(text))) {
    const flat = flatten(version)
    const program = programOf(flat) ?? unproven(text, flat)
    if (program) return readsOnly(text) ? undefined : program
  }
  return undefined
}

/** Whether the text of a field named query may write. Such fields also hold search words, so only statements need a proof. */
export function queryWrites(text: string): boolean {
  if (readsOnly(text) || graphReads(text)) return false
  const isStatement = (version: string) => startsLike(version, QUERY_FORMS) || startsLike(version, READING_FORMS)
  return programIn(text) !== undefined || versionsOf(fold(text)).map(flatten).some(isStatement)
}

// Finds the programs in a payload, by the role of a field and by the form of its text.

/** The program that a field of a role holds, and the test that its text must pass. */
const BY_ROLE: Partial<Record<Role, [Program, (text: string) => boolean]>> = {
  sql: ['sql', (text) => !readsOnly(text)],
  graph: ['sql', (text) => !graphReads(text)],
  query: ['sql', queryWrites],
  shell: ['shell', () => true],
  program: ['shell', isCommand],
  code: ['shell', looksLikeCode],
  method: ['http', isWritingMethod],
}

const isWritingName = ofNames(isWritingOperation)
