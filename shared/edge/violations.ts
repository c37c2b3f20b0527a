// zod's findings in the error shapes of the specification: missing fields are a 400, broken rules a 422.
import type * as z from 'zod'
import { Failure, malformed, type Violation } from '../base/lib/failure.ts'

type Issue = z.core.$ZodIssue
const VIOLATIONS_MAX = 50

/** Throws the failure that tells a caller what is wrong with a body. */
export function refuseBody(issues: readonly Issue[], sent: unknown): never {
  const violations = issues.flatMap((issue) => violationsOf(issue, sent))
  const missing = violations.filter(({ type }) => type === 'missing').slice(0, VIOLATIONS_MAX)
  if (missing.length === 0) throw new Failure('invalid', inDocumentOrder(violations.slice(0, VIOLATIONS_MAX), sent))
  const names = missing.map(({ loc }) => loc.slice(1).join('.'))
  throw malformed(`Missing required fields: ${names.join(', ')}`, { code: 'missing_field', errors: missing })
}

export function refuseQuery(issues: readonly Issue[]): never {
  const names = [...new Set(issues.map((issue) => String(issue.path[0] ?? '')))]
  throw malformed(`Invalid query parameter: ${names.join(', ')}`)
}

/** Throws when something was sent that the query of a route does not name. */
export function mustNameKnownParameters(sent: object, query?: z.ZodObject): void {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(query?.shape ?? {}, name))
  if (unknown.length === 0) return
  const violation = (name: string): Violation => ({
    loc: ['query', name],
    msg: 'unknown parameter',
    type: 'extra_forbidden',
  })
  throw new Failure('invalid', unknown.slice(0, VIOLATIONS_MAX).map(violation))
}

function violationsOf(issue: Issue, sent: unknown): Violation[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  const loc = ['body', ...path]
  const expected = expectedType(issue)
  // To zod an absent enum, literal or union is a wrong value. A rule of ours may well be about what is absent.
  const isMissing = valueAt(sent, path) === undefined && (issue.code !== 'custom' || expected !== undefined)
  if (isMissing) return [{ loc, msg: 'field required', type: 'missing' }]
  if (issue.code === 'invalid_union') return unionViolations(issue, sent)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => ({ loc: [...loc, name], msg: 'unknown field', type: 'extra_forbidden' }))
  }
  if (expected === undefined) return [{ loc, msg: messageOf(issue), type: 'value_error' }]
  return [{ loc, msg: `must be ${article(expected)}`, type: 'type_error' }]
}

/** The type that was wanted, by zod's own finding or by that of `freeForm`. */
function expectedType(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') return issue.expected
  const wanted: unknown = issue.code === 'custom' ? issue.params?.expected : undefined
  return typeof wanted === 'string' ? wanted : undefined
}

/** The findings of the alternative that came closest: one of the right type, and of those the one with the fewest. */
function unionViolations(issue: Issue & { code: 'invalid_union' }, sent: unknown): Violation[] {
  const isOtherType = (found: Issue[]) => found.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
  const ofType = issue.errors.filter((found) => !isOtherType(found))
  const [closest = []] = (ofType.length > 0 ? ofType : issue.errors).toSorted((a, b) => a.length - b.length)
  if (closest.length === 0)
    return [{ loc: ['body', ...(issue.path as string[])], msg: messageOf(issue), type: 'value_error' }]
  return closest.flatMap((inner) => violationsOf({ ...inner, path: [...issue.path, ...inner.path] }, sent))
}

/** zod's own messages may repeat the received value only in ways that name a rule; ours are used as they are. */
const messageOf = (issue: Issue) => issue.message.charAt(0).toLowerCase() + issue.message.slice(1)

const TYPE_NAMES: Record<string, string> = { int: 'integer', record: 'object' }

function article(type: string): string {
  const name = TYPE_NAMES[type] ?? type
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}

const inDocumentOrder = (violations: Violation[], sent: unknown): Violation[] =>
  violations
    .map((violation) => ({ violation, at: positionOf(sent, violation.loc.slice(1)) }))
    .toSorted((a, b) => compare(a.at, b.at))
    .map(({ violation }) => violation)

/** Level by level, the how-manieth member a place is in what was sent. */
const positionOf = (sent: unknown, path: readonly (string | number)[]): number[] =>
  path.map((part, level) =>
    typeof part === 'number' ? part : Object.keys(valueAt(sent, path.slice(0, level)) ?? {}).indexOf(part),
  )

function compare(a: readonly number[], b: readonly number[]): number {
  const level = a.findIndex((index, at) => index !== b[at])
  return level < 0 ? a.length - b.length : (a[level] ?? 0) - (b[level] ?? -1)
}
