// Finds personal data and secrets in a text. A finding holds type and place, never the value.
import type { PII_TYPES } from '../../../base/catalog/measure-words.ts'
import { CHARACTERS, charactersOf } from '../words/tokens.ts'
import type { Member } from '../payload/members.ts'
import { findAddresses, findBirthDates, findEmails, findPhones } from './contacts.ts'
import { findCards, findIbans, findSsns } from './numbers.ts'
import { findSecrets } from './secrets.ts'
import type { Detector, Span } from './span.ts'

export type PiiType = (typeof PII_TYPES)[number]

export type PiiMatch = Span & { type: PiiType }

/** A match inside a document. `in_key`: the match is in the member's name. */
export type Finding = PiiMatch & { member: Member; in_key?: true }

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

/** What alone can be in a text with fewer digits and neither an `@` nor a colon. */
const SECRETS = DETECTORS.slice(0, 1)
const DIGITS_MIN = 4

function countDigits(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) count += 1
  }
  return count
}

/** Of a longer name only the beginning is context, because each element of a list asks for it again. */
const KEY_MAX = 1_024

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
