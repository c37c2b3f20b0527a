// Checks that a value is a condition, by form and by the list of facts. Every finding says where.
import { closest } from './closest.ts'
import type { Path, Problem } from './conditions.ts'
import { factRow, FACTS, type FactType } from './facts.ts'
import { type Op, OPS, OPS_OF, rangeOf, type Scalar } from './operators.ts'
import { stepsOf } from './pointer.ts'

const DEPTH_MAX = 6
const LIST_MAX = 200
const TEXT_MAX = 256

type Form = Record<string, unknown>
const isForm = (value: unknown): value is Form => typeof value === 'object' && value !== null && !Array.isArray(value)

const COMBINATIONS = ['all', 'any', 'not']
const LEAF_KEYS = ['field', 'op', 'value']

/** Everything that keeps a value from being a condition; it is one when there is nothing. */
export function* conditionProblems(value: unknown, path: Path = [], depth = 1): Generator<Problem> {
  if (!isForm(value)) {
    yield { path, message: 'must be a condition' }
    return
  }
  if (depth > DEPTH_MAX) {
    yield { path, message: `must not be nested deeper than ${DEPTH_MAX}` }
    return
  }
  const keys = Object.keys(value)
  const combination = COMBINATIONS.find((name) => Object.hasOwn(value, name))
  const allowed = combination ? [combination] : LEAF_KEYS
  for (const key of keys.filter((name) => !allowed.includes(name))) {
    yield { path: [...path, key], message: `is not part of a condition with ${allowed.join(', ')}` }
  }
  if (!combination) yield* leafProblems(value, path)
  else if (combination === 'not') yield* conditionProblems(value['not'], [...path, 'not'], depth + 1)
  else yield* listProblems(value[combination], [...path, combination], depth)
}

function* listProblems(list: unknown, path: Path, depth: number): Generator<Problem> {
  if (!Array.isArray(list) || list.length === 0 || list.length > LIST_MAX) {
    yield { path, message: `must be a list of 1 to ${LIST_MAX} conditions` }
    return
  }
  for (const [i, part] of list.entries()) yield* conditionProblems(part, [...path, i], depth + 1)
}

const isOp = (op: unknown): op is Op => OPS.some((known) => known === op)

function* leafProblems({ field, op, value }: Form, path: Path): Generator<Problem> {
  const row = typeof field === 'string' ? factRow(field) : undefined
  if (typeof field !== 'string' || !row) {
    yield { path: [...path, 'field'], message: unknownField(field) }
    return
  }
  const pointer = field.startsWith('payload.') ? field.slice('payload.'.length) : undefined
  if (field.length > TEXT_MAX || (pointer !== undefined && !stepsOf(pointer))) {
    yield { path: [...path, 'field'], message: 'must be payload.<JSON pointer> with at most one *' }
    return
  }
  const known = pointer === undefined ? OPS_OF[row.type] : [...OPS_OF[row.type], 'exists' as const]
  if (!isOp(op) || !known.includes(op)) {
    yield { path: [...path, 'op'], message: `must be one of ${known.join(', ')} for this field` }
    return
  }
  const message = valueProblem(op, value, row)
  if (message) yield { path: [...path, 'value'], message }
}

function unknownField(field: unknown): string {
  const guess = typeof field === 'string' ? closest(field, Object.keys(FACTS)) : undefined
  return guess ? `unknown field; did you mean ${guess}?` : 'unknown field'
}

const isScalar = (value: unknown): value is Scalar =>
  (typeof value === 'string' && value.length <= TEXT_MAX) || typeof value === 'number' || typeof value === 'boolean'

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

const LISTED: readonly Op[] = ['in', 'not_in', 'any_in', 'none_in', 'all_in']
const ONE_OR_MANY: readonly Op[] = ['domain_in', 'cidr_in']
const TEXTUAL: readonly Op[] = [
  'starts_with',
  'ends_with',
  'contains',
  'glob',
  'any_in',
  'none_in',
  'all_in',
  ...ONE_OR_MANY,
]
const NUMERIC: readonly Op[] = ['gt', 'gte', 'lt', 'lte', 'between']

/** The type of the values that a fact is compared with, as one word for the message. */
function wantedType(op: Op, type: FactType): 'string' | 'number' | 'boolean' | 'any' {
  if (TEXTUAL.includes(op) || type === 'string' || type === 'enum' || type === 'tier') return 'string'
  if (type === 'boolean' || op === 'exists') return 'boolean'
  return NUMERIC.includes(op) || type === 'number' ? 'number' : 'any'
}

function valueProblem(op: Op, value: unknown, { type, values }: { type: FactType; values?: readonly string[] }) {
  if (op === 'exists' && value === undefined) return undefined
  const items = listed(value)
  if (op === 'between' && !(Array.isArray(value) && value.length === 2)) return 'must be a list of two values'
  if (LISTED.includes(op) && !Array.isArray(value)) return 'must be a list'
  const mayBeList = op === 'between' || LISTED.includes(op) || ONE_OR_MANY.includes(op)
  if (Array.isArray(value) && !mayBeList) return 'must be a single value'
  if (items.length === 0 || items.length > LIST_MAX) return `must hold 1 to ${LIST_MAX} values`
  if (!items.every(isScalar)) return `must be a text of at most ${TEXT_MAX} characters, a number, true or false`
  const wanted = wantedType(op, type)
  if (wanted !== 'any' && !items.every((item) => typeof item === wanted)) return `must be of type ${wanted}`
  const isName = op === 'eq' || op === 'ne' || op === 'in' || op === 'not_in' || type === 'tier'
  const stranger = values && isName ? items.find((item) => !values.some((name) => name === item)) : undefined
  if (stranger !== undefined) return `must be one of ${values?.join(', ')}`
  if (op === 'cidr_in' && !items.every((item) => rangeOf(String(item))))
    return 'must be address ranges such as 10.0.0.0/8'
  return undefined
}
