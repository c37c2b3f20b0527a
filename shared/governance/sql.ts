// Whether a text that a payload calls sql, query or statement changes something, or holds several statements.
// It is read in both dialects of string escapes, because a literal of the one can hide a statement of the other.

const STANDARD =
  /--[^\n]*|\/\*(?!!).*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\$(\w*)\$.*?(?:\$\1\$|$)/gs
const BACKSLASH =
  /--(?=\s)[^\n]*|\/\*(?!!).*?(?:\*\/|$)|'(?:[^'\\]|\\.|'')*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)|`[^`]*(?:`|$)/gs

/** The text without literals, quoted names and comments, in each dialect. */
const codesOf = (text: string) => [text.replace(STANDARD, ' '), text.replace(BACKSLASH, ' ')]

const WRITE_WORDS = new RegExp(
  String.raw`\b(?:${[
    'insert update delete merge upsert drop truncate alter create grant revoke remove detach',
    'exec execute call do copy load lock vacuum reindex attach set into commit kill shutdown mutation',
  ]
    .join(' ')
    .replaceAll(' ', '|')})\b|\breplace\s+into\b|/\*!`,
  'i',
)
const SECOND_STATEMENT = /;\s*\S/

/** For fields named sql or statement: whatever is not a single reading statement. */
export const writesSql = (text: string): boolean =>
  codesOf(text).some((code) => WRITE_WORDS.test(code) || SECOND_STATEMENT.test(code))

const OBJECT =
  'table|index|view|database|schema|user|role|function|procedure|trigger|sequence|extension|keyspace|collection|type'

/** How statements that write begin, so that search words such as `update on the project` are none. */
const WRITING_FORMS = [
  /^(?:insert|replace|merge)\s+(?:\w+\s+){0,2}into\b/i,
  /^insert\s+data\b/i,
  /^delete\s+(?:\S+\s+)?(?:from|where|data)\b/i,
  /^update\s.{1,300}?\bset\b/is,
  new RegExp(String.raw`^(?:drop|alter|create|truncate)\s+(?:\w+\s+){0,4}(?:${OBJECT})\b`, 'i'),
  /^truncate\s+\S+\s*;?\s*$/i,
  /^(?:grant|revoke)\s.{1,300}?\son\s.{1,300}?\s(?:to|from)\s/is,
  /^(?:call|exec|execute)\s+[\w.]+\s*(?:\(|@|$)/i,
  /^create\s*\(/i,
  /\bmutation\b[^{}]{0,200}\{/i,
]

const READING_FORMS = [
  /^select\b.*(?:\bfrom\b|\binto\b|\()/is,
  /^with\s+(?:recursive\s+)?["\w]+\s*(?:\(|as\b)/i,
  /^explain\s+(?:\(|analyze|verbose|select|with|insert|update|delete)\b/i,
  /^(?:optional\s+)?match\s*\(/i,
  /^unwind\s.{1,300}?\sas\s/is,
]

const matches = (forms: readonly RegExp[], code: string) => forms.some((form) => form.test(code))

const OPENING = /^[\s(]+/

/** For fields named query, which hold plain search words as well: only what has the form of a statement counts. */
export const queryWrites = (text: string): boolean =>
  codesOf(text).some((code) => {
    const statements = code.split(';').map((statement) => statement.replace(OPENING, ''))
    if (statements.some((statement) => matches(WRITING_FORMS, statement))) return true
    const mayWrite = WRITE_WORDS.test(code) || SECOND_STATEMENT.test(code)
    return mayWrite && matches(READING_FORMS, code.replace(OPENING, ''))
  })
