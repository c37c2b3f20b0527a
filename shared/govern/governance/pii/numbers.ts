// Detects numbers with a known structure, which are payment cards (Luhn), IBANs (ISO 7064 mod 97) and US social security numbers, and
// credentials. Each pattern starts where its alphabet starts, so the search takes linear time.
import { crc32 } from 'node:zlib'

/** A place in a text, in UTF-16 code units. */
export type Span = { start: number; end: number }

/** Returns the spans that a detector finds. `key` is the name of the member that holds the text, as context. */
export type Detector = (text: string, key: string) => Span[]

const CARD = /(?<![\w+.])(?:\d{12,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5})(?!\w)/g

/** [first prefix, last prefix, lengths] of the networks, by their leading digits. */
const NETWORKS: [number, number, number[]][] = [
  [4, 4, [13, 16, 19]], // Visa
  [51, 55, [16]], // Mastercard
  [2221, 2720, [16]],
  [34, 34, [15]], // American Express
  [37, 37, [15]],
  [300, 305, [14, 15, 16, 17, 18, 19]], // Diners
  [36, 36, [14, 15, 16, 17, 18, 19]],
  [38, 39, [14, 15, 16, 17, 18, 19]],
  [6011, 6011, [16, 17, 18, 19]], // Discover
  [644, 659, [16, 17, 18, 19]],
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [62, 62, [16, 17, 18, 19]], // UnionPay
  [50, 50, [12, 13, 14, 15, 16, 17, 18, 19]], // Maestro
  [56, 58, [12, 13, 14, 15, 16, 17, 18, 19]],
  [63, 63, [12, 13, 14, 15, 16, 17, 18, 19]],
  [67, 67, [12, 13, 14, 15, 16, 17, 18, 19]],
]

const hasKnownPrefix = (digits: string) =>
  NETWORKS.some(([first, last, lengths]) => {
    const prefix = Number(digits.slice(0, String(first).length))
    return prefix >= first && prefix <= last && lengths.includes(digits.length)
  })

/** The Luhn check of ISO/IEC 7812-1 over a string of digits. */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (const [i, digit] of digits.split('').toReversed().entries()) {
    const value = Number(digit) * (1 + (i % 2))
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

export const findCards: Detector = (text) =>
  spansOf(text, CARD, (match) => {
    const digits = match.replace(/\D/g, '')
    return hasKnownPrefix(digits) && passesLuhn(digits)
  })

/** Lengths of the IBAN registry (ISO 13616). */
const IBAN_LENGTHS = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

const IBAN_START = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])/g

const isMod97 = (iban: string) => {
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

const isAlphanumeric = (code: number) =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
const isGap = (code: number) => code === 32 || code === 45

/** The span of `length` letters and digits from `start`, with at most one space or hyphen between two of them. */
function spanOfLength(text: string, start: number, length: number): Span | undefined {
  let end = start
  for (let taken = 0; taken < length; taken += 1) {
    if (taken > 0 && isGap(text.charCodeAt(end))) end += 1
    if (!isAlphanumeric(text.charCodeAt(end))) return undefined
    end += 1
  }
  return { start, end }
}

/** IBANs. The country determines the length, so characters that follow without a gap do not matter. */
export const findIbans: Detector = (text) =>
  spansOf(text, IBAN_START).flatMap(({ start }) => {
    const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase())
    const span = length && spanOfLength(text, start, length)
    if (!span) return []
    const compact = text.slice(span.start, span.end).replace(/[ -]/g, '').toUpperCase()
    return isMod97(compact) ? [span] : []
  })

const SSN = /(?<![\w-])(?!000|666|9)\d{3}([ .-])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/g

/** Numbers that were printed in published examples. They belong to nobody. */
const DUMMY_SSNS = new Set(['078051120', '219099999'])

export const findSsns: Detector = (text) => spansOf(text, SSN, (match) => !DUMMY_SSNS.has(match.replace(/\D/g, '')))

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Whether the last six characters of an API key are the CRC-32 of the rest in base 62. */
function hasChecksum(key: string): boolean {
  let rest = crc32(key.slice(0, -6))
  let text = ''
  for (let i = 0; i < 6; i += 1) {
    text = BASE62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return key.endsWith(text)
}

const API_KEY = /(?<!\w)ak_(?:live|test)_[0-9A-Za-z]{39}(?!\w)/g
const AWS_KEY_ID = /(?<!\w)(?:AKIA|ASIA)[A-Z2-7]{16}(?!\w)/g
const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g
const AWS_SECRET_LENGTH = 40
const SECRET_CONTEXT = /secret/i
const JWT = /(?<![\w.-])eyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]*/g
const BEARER = /\bbearer\s{1,4}[A-Za-z0-9._~+/-]{16,}={0,2}/gi

const KEY_BLOCK = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g

/** From the opening line of a private key to the end of its closing line, or of the text. */
function findKeyBlocks(text: string): Span[] {
  const spans: Span[] = []
  for (const { start, end } of spansOf(text, KEY_BLOCK)) {
    if (start < (spans.at(-1)?.end ?? 0)) continue
    const closing = text.indexOf('-----END', end)
    const close = closing === -1 ? -1 : text.indexOf('-----', closing + 8)
    spans.push({ start, end: close === -1 ? text.length : close + 5 })
  }
  return spans
}

/** Every secret has one of these in it or in the name of its member; most texts have none. */
const SIGN = /PRIVATE KEY|ak_|AKIA|ASIA|eyJ|bearer|secret/i

/** AWS keys, JSON web tokens, private keys, bearer tokens and API keys of this service. */
export const findSecrets: Detector = (text, key) =>
  SIGN.test(text) || (text.length >= AWS_SECRET_LENGTH && SECRET_CONTEXT.test(key)) ? secretsIn(text, key) : []

const secretsIn: Detector = (text, key) => [
  ...(text.includes('PRIVATE KEY') ? findKeyBlocks(text) : []),
  ...(text.includes('ak_') ? spansOf(text, API_KEY, hasChecksum) : []),
  ...(text.includes('AKIA') || text.includes('ASIA') ? spansOf(text, AWS_KEY_ID) : []),
  ...(text.includes('eyJ') ? spansOf(text, JWT) : []),
  ...(/bearer/i.test(text) ? spansOf(text, BEARER, (token) => /\d/.test(token)) : []),
  ...(text.length >= AWS_SECRET_LENGTH && (SECRET_CONTEXT.test(key) || SECRET_CONTEXT.test(text))
    ? spansOf(text, AWS_SECRET)
    : []),
]

/** All matches of a global pattern that pass the check. */
export function spansOf(
  text: string,
  pattern: RegExp,
  holds: (match: string, span: Span) => boolean = () => true,
): Span[] {
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const span = { start: match.index, end: pattern.lastIndex }
    if (holds(match[0], span)) spans.push(span)
  }
  return spans
}

const CAMEL = /(?<=[a-z])(?=[A-Z])/g

/** Whether the pattern matches in the key, or shortly before or after the span. */
export const isBeside = (context: RegExp, text: string, key: string, { start, end }: Span): boolean =>
  context.test(key.replace(CAMEL, ' ')) ||
  context.test(text.slice(Math.max(0, start - 32), start)) ||
  context.test(text.slice(end, end + 16))
