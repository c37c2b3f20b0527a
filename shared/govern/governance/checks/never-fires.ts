// Finds what makes a policy useless: values that no action can have, conditions that exclude each other, and times and tiers that never
// come about.
import { isStricter, type Kind, KIND_NAMES, KINDS, TIERS } from '../../../base/catalog/kinds.ts'
import { PII_TYPES } from '../../../base/catalog/measure-words.ts'
import { closest } from '../conditions/hints.ts'
import { type Cond, isLeaf, type Leaf, leavesOf, partsOf, type Path, type Problem } from '../conditions/condition.ts'
import { hostOf } from '../domains.ts'
import { factRow } from '../conditions/fact-list.ts'
import { globMatches, scopeMatches } from '../conditions/glob.ts'
import type { PolicyBody } from '../policy.ts'

export function* neverFires(body: PolicyBody): Generator<Problem> {
  yield* kindProblems(body)
  for (const { leaf, path } of [...leavesOf(body.when, ['when']), ...leavesOf(body.unless, ['unless'])]) {
    yield* valueProblems(leaf, path)
    yield* rangeProblems(leaf, path)
    yield* hostProblems(leaf, path)
  }
  yield* approvalProblems(body)
  yield* floorProblems(body)
}

function* kindProblems({ scope }: PolicyBody): Generator<Problem> {
  for (const [i, glob] of scope.action_kinds.entries()) {
    if (KIND_NAMES.some((kind) => globMatches(glob, kind))) continue
    yield { path: ['scope', 'action_kinds', i], message: `matches no kind of action${meant(glob, KIND_NAMES)}` }
  }
}

const meant = (name: string, names: readonly string[]): string => {
  const guess = closest(name, names)
  return guess ? `; did you mean ${guess}?` : ''
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

type Known = { what: string; names: readonly string[]; has?: (name: string) => boolean }

/** Facts whose values are known, though conditions take any text for them. */
const KNOWN: Record<string, Known> = {
  'signals.pii': { what: 'a type of personal data', names: PII_TYPES },
  'signals.currency': { what: 'an ISO 4217 currency', names: Intl.supportedValuesOf('currency') },
  'request.country': {
    what: 'an ISO 3166 country of two letters',
    names: [],
    has: (name) => /^[A-Z]{2}$/.test(name) && regions.of(name) !== undefined,
  },
}

const WHOLE = ['eq', 'ne', 'in', 'not_in', 'any_in', 'none_in', 'all_in']

function* valueProblems({ field, op, value, ignore_case }: Leaf, path: Path): Generator<Problem> {
  const known = Object.hasOwn(KNOWN, field) ? KNOWN[field] : undefined
  const isWhole = WHOLE.includes(op) || (op === 'contains' && field === 'signals.pii')
  if (!known || !isWhole) return
  const { what, names, has = (name) => names.includes(name) } = known
  for (const [i, item] of [value].flat().entries()) {
    if (typeof item !== 'string') continue
    const name = ignore_case ? item.toUpperCase() : item
    if (has(name)) continue
    const at = Array.isArray(value) ? [...path, 'value', i] : [...path, 'value']
    yield { path: at, message: `is not ${what}${meant(name.toUpperCase(), names)}` }
  }
}

const RANGES: Record<string, readonly [low: number, high: number]> = {
  'request.hour_utc': [0, 23],
  'request.weekday_utc': [1, 7],
  'request.repeated': [0, 86_400],
  'request.refused': [0, 86_400],
  'action.risk': [0, 100],
  'action.confidence': [0, 1],
  'agent.trust': [0, 100],
}

function* rangeProblems(leaf: Leaf, path: Path): Generator<Problem> {
  const range = Object.hasOwn(RANGES, leaf.field) ? RANGES[leaf.field] : undefined
  if (!range) return
  const [low, high] = range
  const isOutside = [leaf.value].flat().some((value) => typeof value === 'number' && (value < low || value > high))
  const allowed = rangeOf(leaf)
  if (isOutside) yield { path: [...path, 'value'], message: `must be from ${low} to ${high}` }
  else if (allowed.low > high || allowed.high < low)
    yield { path: [...path, 'value'], message: `can never be true, since the field is from ${low} to ${high}` }
}

/** Facts hold hosts in lower case and without anything around them. */
function* hostProblems({ field, op, value }: Leaf, path: Path): Generator<Problem> {
  if (factRow(field)?.type !== 'hosts') return
  const isDomain = op === 'domain_in' || op === 'any_domain_in'
  for (const [i, item] of [value].flat().entries()) {
    if (typeof item !== 'string') continue
    const host = hostOf(isDomain ? item.replace(/^\./, '') : item)
    if (host !== undefined && (isDomain || host === item)) continue
    const likely = host ?? hostOf(item.replace(/^[@*.]+/, ''))
    const at = Array.isArray(value) ? [...path, 'value', i] : [...path, 'value']
    yield { path: at, message: `is no host as they are compared${likely ? `; did you mean ${likely}?` : ''}` }
  }
}

function* approvalProblems({ approval }: PolicyBody): Generator<Problem> {
  const { escalate_after_s, expires_in_s } = approval ?? {}
  if (escalate_after_s !== undefined && expires_in_s !== undefined && escalate_after_s >= expires_in_s) {
    yield {
      path: ['approval', 'escalate_after_s'],
      message: `must be less than expires_in_s, which is ${expires_in_s}`,
    }
  }
}

/** A tier below the class floor of each kind in scope changes nothing. */
function* floorProblems(body: PolicyBody): Generator<Problem> {
  const { effect, tier } = body
  if (effect !== 'relax_to' || !tier) return
  const kinds = kindsIn(body)
  const floors = kinds.map((kind) => KINDS[kind].classFloor)
  if (kinds.length === 0 || floors.some((floor) => !isStricter(floor, tier))) return
  yield { path: ['tier'], message: `no kind in scope can be lower than ${floors[0]}: ${kinds.join(', ')}` }
}

function kindsIn({ scope, when }: PolicyBody): Kind[] {
  const parts = when === undefined ? [] : 'all' in when ? when.all : [when]
  const named = parts.filter(isLeaf).filter(({ field, op }) => field === 'action.kind' && (op === 'eq' || op === 'in'))
  return KIND_NAMES.filter(
    (kind) => scopeMatches(scope.action_kinds, kind) && named.every(({ value }) => [value].flat().includes(kind)),
  )
}

/** Leaves and lists that no request can satisfy. Their author cannot have intended them. */
export function* contradictionsIn(cond: Cond | undefined, path: Path): Generator<Problem> {
  if (!cond) return
  if (isLeaf(cond)) {
    const { low, high } = rangeOf(cond)
    if (low > high) yield { path: [...path, 'value'], message: 'is an empty range' }
    return
  }
  if ('all' in cond) yield* contradictions(cond.all, [...path, 'all'])
  for (const { part, steps } of partsOf(cond)) yield* contradictionsIn(part, [...path, ...steps])
}

/** Leaves on one field whose allowed values or ranges exclude each other. */
function* contradictions(parts: readonly Cond[], path: Path): Generator<Problem> {
  const seen = new Map<string, { value?: unknown; low: number; high: number }>()
  for (const [i, leaf] of parts.entries()) {
    if (!isLeaf(leaf)) continue
    const before = seen.get(leaf.field)
    const range = rangeOf(leaf)
    const low = Math.max(range.low, before?.low ?? -Infinity)
    const high = Math.min(range.high, before?.high ?? Infinity)
    const isOther = leaf.op === 'eq' && before?.value !== undefined && before.value !== leaf.value
    if (before && (isOther || low > high))
      yield { path: [...path, i], message: 'can never be true together with the conditions before it' }
    seen.set(leaf.field, { value: leaf.op === 'eq' ? leaf.value : before?.value, low, high })
  }
}

const TIER_NAMES: readonly unknown[] = TIERS
const orderOf = (value: unknown) => (typeof value === 'number' ? value : TIER_NAMES.indexOf(value))

/** The range of numbers, or of tier ranks, that a leaf allows. `gt` and `lt` exclude their bound by the smallest step. */
function rangeOf({ op, value }: Leaf): { low: number; high: number } {
  const [first, second] = (Array.isArray(value) ? value : [value]).map(orderOf)
  const everything = { low: -Infinity, high: Infinity }
  if (first === undefined) return everything
  if (op === 'eq') return { low: first, high: first }
  if (op === 'between') return { low: first, high: second ?? first }
  if (op === 'gt' || op === 'gte') return { ...everything, low: op === 'gt' ? above(first) : first }
  if (op === 'lt' || op === 'lte') return { ...everything, high: op === 'lt' ? -above(-first) : first }
  return everything
}

const above = (number: number) => number + Math.max(Number.MIN_VALUE, Math.abs(number) * Number.EPSILON)
