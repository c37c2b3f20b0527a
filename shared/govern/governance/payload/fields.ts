// Derives the role of a payload member from its name, and reads values of each role.
import { memory } from '../../../base/lib/memory.ts'
import { tokensOf } from '../words/tokens.ts'
import { wordSet } from '../words/words.ts'

export type Role =
  | 'recipient'
  | 'contact'
  | 'phone'
  | 'amount'
  | 'currency'
  | 'target'
  | 'sql'
  | 'graph'
  | 'query'
  | 'shell'
  | 'program'
  | 'code'
  | 'method'
  | 'operation'

const ADDRESSING = wordSet('to cc bcc')
const RECIPIENT = wordSet('recipient recipients')
/** Fields that hold a recipient when their value is a mail address or an international number. */
const CONTACT = wordSet(
  `email emails mail mails address addresses attendee attendees guest guests invitee invitees member members participant
  participants destination destinations contact contacts customer customers user users`,
)
const CONTACT_PAIRS = wordSet('share_with send_to deliver_to reply_to forward_to')
const PHONE = wordSet('phone phones')
const AMOUNT = wordSet('amount amounts total price sum')
const LAST_WORDS: [Role, ReadonlySet<string>][] = [
  ['currency', wordSet('currency')],
  ['target', wordSet('id ids filter filters target targets')],
  ['sql', wordSet('sql ddl dml tsql plsql soql cql partiql statement statements')],
  ['graph', wordSet('cypher gql graphql sparql gremlin')],
  ['shell', wordSet('shell command commands cmd cmdline bash zsh sh powershell pwsh script scripts exec argv')],
  ['program', wordSet('program executable interpreter')],
  ['code', wordSet('code python javascript js typescript perl ruby php lua groovy')],
]
const QUERY = wordSet('query queries q')
/** After a word of one of the `LANGUAGES` these add nothing (`sqlQuery`, `command_text`). */
const TEXT = wordSet('query text string body statement code')
const LANGUAGES: readonly Role[] = ['sql', 'graph', 'shell', 'program', 'code']

const OPERATION = wordSet('operation operations action actions op verb mode method')

const has = (tokens: readonly string[], words: ReadonlySet<string>) => tokens.some((token) => words.has(token))

const roleOfWord = (word = '') => LAST_WORDS.find(([, words]) => words.has(word))?.[0]

function languageOf(tokens: readonly string[]): Role | undefined {
  const role = TEXT.has(tokens.at(-1) ?? '') ? roleOfWord(tokens.at(-2)) : undefined
  return role && LANGUAGES.includes(role) ? role : undefined
}

const isContact = (tokens: readonly string[]) =>
  tokens.some((token, i) => CONTACT.has(token) || CONTACT_PAIRS.has(`${token}_${tokens[i + 1]}`))

function readRole(name: string): Role | undefined {
  const tokens = tokensOf(name)
  if (has(tokens, PHONE)) return 'phone'
  if (has(tokens, RECIPIENT) || ADDRESSING.has(tokens[0] ?? '')) return 'recipient'
  const role = languageOf(tokens) ?? roleOfWord(tokens.at(-1))
  if (role) return role
  if (has(tokens, AMOUNT)) return 'amount'
  if (has(tokens, QUERY)) return 'query'
  if (tokens.length === 1 && OPERATION.has(tokens[0] ?? '')) return 'operation'
  return isContact(tokens) ? 'contact' : undefined
}

/** Whether the member's own name says that its value is an operation. */
export const isOperation = ({ label, role }: { label: string; role: Role | undefined }): boolean =>
  (role === 'operation' || role === 'method') && OPERATION.has(label.toLowerCase())

/** Longer names are not remembered. */
export const NAME_MAX = 64

/** Remembers what `read` says of a name, because names of members repeat from request to request. */
export function ofNames<T>(read: (name: string) => T): (name: string) => T {
  const known = memory<{ said: T }>(5_000)
  return (name) => {
    const kept = known.get(name)
    if (kept) return kept.said
    const said = read(name)
    if (name.length <= NAME_MAX) known.set(name, { said })
    return said
  }
}

/** The role of a member by the words of its name (`recipientEmails`, `total_amount`, `user_ids`); undefined when it has none. */
export const roleOf = ofNames(readRole)

const DECIMAL = /^[^\d.,+-]{0,4}([+-]?\d+(?:\.\d+)?)[^\d.,]{0,4}$/u

/** The size of an amount without its sign; NaN for a text with digits that can be read in two ways (`1.250,00`). */
export function amountOf(value: number | string): number | undefined {
  if (typeof value === 'number') return Math.abs(value)
  if (!/\d/.test(value)) return undefined
  return Math.abs(Number(DECIMAL.exec(value.trim())?.[1] ?? Number.NaN))
}

/** Whether a text selects everything. */
export const isWildcard = (value: string): boolean => /^\s*(?:\*|all|%)\s*$/i.test(value)

/** Whether a field named code holds program text, rather than a code such as `US`, `E-104` or `SW1A 1AA`. */
export const looksLikeCode = (value: string): boolean => /[(){}[\];=<>|&$`\n]|^\s*[a-z_./-]+\s/.test(value)

const PIECES = /[\s,;<>"()]+/

/** The addresses in the value of a recipient field: mail addresses, links and international phone numbers. */
export const addressesOf = (value: string): string[] =>
  value
    .split(PIECES)
    .filter((piece) => piece.includes('@') || /^https?:\/\//i.test(piece) || /^\+(?:[\d.-]*\d){8}/.test(piece))

/** The mail addresses and international numbers of a field that may hold a recipient; a link there is no receiver. */
export const contactsOf = (value: string): string[] =>
  addressesOf(value).filter((piece) => !/^https?:\/\//i.test(piece))
