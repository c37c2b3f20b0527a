// Hints for authors of policies who know another language of rules: the name here for the name that they wrote, and the closest known name
// for a misspelt one.
import { FACTS } from './fact-list.ts'

type Hints = Readonly<Record<string, string>>

const MEMBERS: Hints = {
  and: 'use "all"',
  or: 'use "any"',
  nor: 'use "not" around "any"',
  deny: 'use "effect": "forbid"',
  block: 'use "effect": "forbid"',
  allow: 'use "effect": "relax_to"',
  permit: 'use "effect": "relax_to"',
  if: 'use "when"',
  condition: 'use "when"',
  conditions: 'use "when"',
  exceptions: 'use "unless"',
  approvers: 'use "approval": {"stages": [{"groups": […]}]}',
  groups: 'use "approval": {"stages": [{"groups": […]}]}',
  rate: 'use "limit"',
  rate_limit: 'use "limit"',
  quota: 'use "limit"',
  timezone: 'use request.time with the operator "within", whose value has a "zone"',
  schedule: 'use request.time with the operator "within"',
  start_at: 'use "valid_from"',
  until: 'use "expires_at"',
}

const EFFECTS: Hints = {
  deny: 'use forbid',
  block: 'use forbid',
  reject: 'use forbid',
  allow: 'use relax_to',
  permit: 'use relax_to',
  approve: 'use require_approval',
  approval: 'use require_approval',
  hold: 'use require_approval',
  raise: 'use min_tier',
}

const OPERATORS: Hints = {
  '=': 'use eq',
  '==': 'use eq',
  equals: 'use eq',
  is: 'use eq',
  '!=': 'use ne',
  not: 'use ne',
  not_equals: 'use ne',
  '>': 'use gt',
  '>=': 'use gte',
  '<': 'use lt',
  '<=': 'use lte',
  matches: 'use glob',
  regex: 'use glob',
  like: 'use glob',
  has: 'use contains',
}

const hint = (hints: Hints, name: unknown): string | undefined =>
  typeof name === 'string' && Object.hasOwn(hints, name.toLowerCase()) ? hints[name.toLowerCase()] : undefined

const after = (message: string, found: string | undefined): string => (found ? `${message}; ${found}` : message)

/** Whether it is known what a member is called here. */
export const isHinted = (name: string): boolean => hint(MEMBERS, name) !== undefined

export const unknownMember = (name: string, message = 'unknown field'): string => after(message, hint(MEMBERS, name))

export const unknownOperator = (op: unknown, message: string): string => after(message, hint(OPERATORS, op))

/** Undefined where nothing is known of the name. */
export const effectHint = (name: unknown): string | undefined => hint(EFFECTS, name)

/** Names that fields have in other products, each with the field that means it here. */
const FIELDS: Hints = {
  user: 'principal.id',
  role: 'principal.roles',
  hour: 'request.hour_utc',
  weekday: 'request.weekday_utc',
  timezone: 'request.time',
  domain: 'signals.recipient_domains',
  url: 'signals.url_hosts',
  email: 'signals.recipients',
}

const NAMES = Object.keys(FACTS)
const lastOf = (name: string) => name.slice(name.lastIndexOf('.') + 1)

export function unknownField(field: unknown): string {
  const likely = typeof field === 'string' ? likelyFields(field) : []
  return likely.length > 0 ? `unknown field; did you mean ${likely.join(' or ')}?` : 'unknown field'
}

/** A name without a dot may also be a member of the payload. */
function likelyFields(field: string): string[] {
  if (/^payload\.[\w-]+$/.test(field)) return [field.replace('.', './')]
  if (!/^[A-Za-z][\w-]{0,63}$/.test(field)) return [closest(field.slice(0, 64), NAMES) ?? []].flat()
  const alias = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
  const same = alias ? [alias] : NAMES.filter((name) => lastOf(name) === field.toLowerCase())
  const near = field.length < 4 ? undefined : closest(field, NAMES.map(lastOf), Math.floor(field.length / 3))
  const found = same.length > 0 ? same : NAMES.filter((name) => lastOf(name) === near)
  return [...found.slice(0, 2), `payload./${field}`]
}

/** Edit distance (Levenshtein) of two short texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The name that a misspelt one probably means; undefined when none is similar enough, so with more than `most` edits. */
export function closest(
  name: string,
  names: readonly string[],
  most = Math.max(2, name.length / 4),
): string | undefined {
  const near = names
    .map((candidate) => ({ candidate, edits: distance(name.slice(0, 64), candidate) }))
    .toSorted((a, b) => a.edits - b.edits)[0]
  return near && near.edits <= most ? near.candidate : undefined
}
