// Finds personal data and secrets in a text: mail addresses, phone numbers, IP addresses and dates of birth here, numbers and secrets by
// `numbers.ts`. A finding holds type and place, never the value.
import type { PII_TYPES } from '../../../base/catalog/measure-words.ts'
import { CHARACTERS, charactersOf } from '../words/tokens.ts'
import type { Member } from '../payload/members.ts'
import { type Detector, findCards, findIbans, findSecrets, findSsns, isBeside, type Span, spansOf } from './numbers.ts'
import { isIP } from 'node:net'

export type PiiType = (typeof PII_TYPES)[number]

export type PiiMatch = Span & { type: PiiType }

/** A match inside a document. `in_key`: the match is in the member's name. */
export type Finding = PiiMatch & { member: Member; in_key?: true }

/** All matches in a text without overlaps, by detector and then by place. `name`: of the member that holds the text. */
export function findPii(text: string, name = '', characters = charactersOf(text)): PiiMatch[] {
  if (text.length < 3) return []
  const key = name.slice(0, KEY_MAX)
  const digits = characters & CHARACTERS.digit ? countDigits(text) : 0
  const isSecretAtMost = digits < DIGITS_MIN && !(characters & CHARACTERS.address)
  const found: PiiMatch[] = []
  let taken: Uint8Array | undefined
  for (const [type, digitsMin, find] of isSecretAtMost ? SECRETS : DETECTORS) {
    if (digits < digitsMin) continue
    for (const { start, end } of find(text, key)) {
      taken ??= new Uint8Array(text.length)
      if (taken.subarray(start, end).includes(1)) continue
      taken.fill(1, start, end)
      found.push({ type, start, end })
    }
  }
  return found
}

/** Of a longer name only the beginning is context, because each element of a list asks for it again. */
const KEY_MAX = 1_024

function countDigits(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) count += 1
  }
  return count
}

const DIGITS_MIN = 4

/** Mail addresses whose top-level domain has letters only, international domains included. */
const findEmails: Detector = (text) => (text.includes('@') ? emailsIn(text) : [])

function emailsIn(text: string): Span[] {
  const localPart = /[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-](?:[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{0,63})$/u
  const domain = /(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,10}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,63})(?![\p{L}\p{N}-])/uy
  const spans: Span[] = []
  let from = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (text[at + 1] === '@') continue
    domain.lastIndex = at + 1
    if (!domain.test(text)) continue
    const end = domain.lastIndex
    const local = localPart.exec(text.slice(Math.max(from, at - 64), at))?.[0]
    if (!local) continue
    spans.push({ start: at - local.length, end })
    from = end
  }
  return spans
}

const INTERNATIONAL = /(?<![\w+])\+(?:[ ()./-]{0,2}\d){8,15}(?!\d)/g
const NATIONAL = /(?<![\w+.-])\(?\d(?:[ ()./-]{0,2}\d){6,14}(?![\w-])/g
const PHONE_CONTEXT = /phone|(?<![a-z])(?:tel|mobile|cell|fax|sms|whatsapp|call)(?![a-z])/i
const CALENDAR = /^\d{4}-\d{2}-\d{2}/
/** Every context holds one of these; most texts and names do not. */
const PHONE_SIGN = /phone|tel|mobile|cell|fax|sms|whatsapp|call/i

/** Phone numbers that begin with `+`, and others beside a word such as phone or mobile. */
const findPhones: Detector = (text, key) => [
  ...(text.includes('+') ? spansOf(text, INTERNATIONAL) : []),
  ...(PHONE_SIGN.test(key) || PHONE_SIGN.test(text) ? nationalIn(text, key) : []),
]

const nationalIn: Detector = (text, key) =>
  spansOf(text, NATIONAL, (match, span) => !CALENDAR.test(match) && isBeside(PHONE_CONTEXT, text, key, span))

const IPV4 = /(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w]|\.\w)/g
const IPV6_RUN = /[\w:.]+(?:%\w{1,32})?/g
// A label before the address without a space (`ip:fe80::1`), or punctuation after it.
const GLUED = /^[^:]*[g-z_][^:]*:|\.$|(?<!:):$/gi

/** IPv4 addresses by pattern. Candidates for IPv6 are parsed, so compressed, mapped and zoned addresses are found, too. */
const findAddresses: Detector = (text) => {
  const v6 = spansOf(text, IPV6_RUN, (run) => run.length < 120 && run.includes(':')).flatMap(({ start, end }) => {
    const run = text.slice(start, end)
    const address = run.replace(GLUED, '')
    const from = start + run.indexOf(address)
    return address.length > 2 && isIP(address) === 6 ? [{ start: from, end: from + address.length }] : []
  })
  return [...v6, ...spansOf(text, IPV4)]
}

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}'
const DATE = new RegExp(
  String.raw`(?<!\w)(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})|\d{1,2}\.? ${MONTH}\.?,? \d{4}|${MONTH}\.? \d{1,2},? \d{4})(?!\w)`,
  'gi',
)
const BIRTH = /\bd\.?o\.?b\b|birth|\bborn\b/i
const BIRTH_SIGN = /d\.?o\.?b|birth|born/i

/** Dates beside words such as born or date of birth. */
const findBirthDates: Detector = (text, key) =>
  BIRTH_SIGN.test(key) || BIRTH_SIGN.test(text)
    ? spansOf(text, DATE, (_, span) => isBeside(BIRTH, text, key, span))
    : []

/** The most certain detector first: later ones skip the places that it found. */
const DETECTORS: [type: PiiType, digitsMin: number, find: Detector][] = [
  ['SECRET', 0, findSecrets],
  ['EMAIL', 0, findEmails],
  ['IBAN', 8, findIbans],
  ['CREDIT_CARD', 12, findCards],
  ['US_SSN', 9, findSsns],
  ['DATE_OF_BIRTH', 5, findBirthDates],
  ['IP', 0, (text) => (/[.:].{0,40}[.:]/s.test(text) ? findAddresses(text, '') : [])],
  ['PHONE', 7, findPhones],
]

/** The only type that a text with fewer digits and neither an `@` nor a colon can hold. */
const SECRETS = DETECTORS.slice(0, 1)
