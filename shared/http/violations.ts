// zod's findings in the error shapes of the specification: missing fields are a 400, broken rules a 422.
import type * as z from 'zod'
import { Failure, malformed, type Violation } from '../lib/failure.ts'

type Issue = z.core.$ZodIssue
const VIOLATIONS_MAX = 50

/** Throws the failure that tells a caller what is wrong with a body. */
export function refuseBody(issues: readonly Issue[], sent: unknown): never {
  const violations = issues.flatMap((issue) => violationsOf(issue, sent)).slice(0, VIOLATIONS_MAX)
  const missing = violations.filter(({ type }) => type === 'missing')
  if (missing.length === 0) throw new Failure('invalid', violations)
  const names = missing.map(({ loc }) => loc.slice(1).join('.'))
  throw malformed(`Missing required fields: ${names.join(', ')}`, { code: 'missing_field', errors: missing })
}

export function refuseQuery(issues: readonly Issue[]): never {
  const names = [...new Set(issues.map((issue) => String(issue.path[0] ?? '')))]
  throw malformed(`Invalid query parameter: ${names.join(', ')}`)
}

function violationsOf(issue: Issue, sent: unknown): Violation[] {
  if (issue.code === 'invalid_union') return unionViolations(issue, sent)
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  const loc = ['body', ...path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => ({ loc: [...loc, name], msg: 'unknown field', type: 'extra_forbidden' }))
  }
  if (issue.code !== 'invalid_type') return [{ loc, msg: messageOf(issue), type: 'value_error' }]
  if (valueAt(sent, path) === undefined) return [{ loc, msg: 'field required', type: 'missing' }]
  return [{ loc, msg: `must be ${article(issue.expected)}`, type: 'type_error' }]
}

/** The findings of the alternative that came closest. */
function unionViolations(issue: Issue & { code: 'invalid_union' }, sent: unknown): Violation[] {
  const closest = issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? []
  if (closest.length === 0)
    return [{ loc: ['body', ...(issue.path as string[])], msg: messageOf(issue), type: 'value_error' }]
  return closest.flatMap((inner) => violationsOf({ ...inner, path: [...issue.path, ...inner.path] }, sent))
}

/** zod's own messages may repeat the received value only in ways that name a rule; ours are used as they are. */
const messageOf = (issue: Issue) => issue.message.charAt(0).toLowerCase() + issue.message.slice(1)

const article = (type: string) => (type === 'int' ? 'an integer' : /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string | number, unknown>)[part]
  }
  return value
}
