// Takes personal data and secrets out of a sample. Prompt and payload are one document, so that a value has the same placeholder
// in both; the prompt comes first, so that equal prompts stay equal.
import type { Json } from '../../base/lib/json.ts'
import { findPii } from '../../govern/governance/pii/find.ts'
import { Redactor } from '../../govern/governance/pii/redact.ts'

/** A placeholder can make another text suspicious (`[PHONE_1] 1234567`), so it is looked at again. */
const PASSES_MAX = 4

/** `types`: how many redactions are of each type of personal data. */
export type Redacted<T> = { value: T; redactions: number; residual: number; types: Record<string, number> }

export function redactAll<T extends Json>(value: T): Redacted<T> {
  const redactor = new Redactor()
  const types: Record<string, number> = {}
  for (const type of typesIn(value)) types[type] = (types[type] ?? 0) + 1
  let found = findingsIn(value)
  const redactions = found
  let redacted: Json = value
  for (let pass = 0; pass < PASSES_MAX && found > 0; pass += 1) {
    redacted = redactor.redact(asTexts(redacted))
    found = findingsIn(redacted)
  }
  return { value: redacted as T, redactions, residual: found, types } // the same members, with other texts
}

/** How many findings a document has, in names of members and in numbers, too. */
export const findingsIn = (value: Json | undefined, label = ''): number => typesIn(value, label).length

/** The type of each finding. */
function typesIn(value: Json | undefined, label = ''): string[] {
  if (typeof value === 'string') return typesOf(value, label)
  if (typeof value === 'number') return typesOf(String(value), label)
  if (Array.isArray(value)) return value.flatMap((one) => typesIn(one, label))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [...typesOf(name), ...typesIn(member, name)])
}

const typesOf = (text: string, label?: string): string[] => findPii(text, label).map(({ type }) => type)

/** Numbers that are personal data, such as those of cards, become texts, which the redactor reads. */
function asTexts(value: Json, label = ''): Json {
  if (typeof value === 'number') return findPii(String(value), label).length > 0 ? String(value) : value
  if (Array.isArray(value)) return value.map((one) => asTexts(one, label))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === undefined ? member : asTexts(member, name)]),
  )
}
