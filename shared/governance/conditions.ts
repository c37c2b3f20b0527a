// The conditions of policies: their form, and the rules that a reader of the fact list can check. Every finding says where.
import { factRow, FACTS, type FactType } from './facts.ts'
import { closest } from './closest.ts'
import { type Op, OPS, OPS_OF, rangeOf, type Scalar, type Value } from './operators.ts'
import { stepsOf } from './pointer.ts'

export type Leaf = { field: string; op: Op; value?: Value | undefined }
export type Cond = { all: Cond[] } | { any: Cond[] } | { not: Cond } | Leaf

export type Path = (string | number)[]
export type Problem = { path: Path; message: string }

const DEPTH_MAX = 6
const LIST_MAX = 200
const TEXT_MAX = 256

export const isLeaf = (cond: Cond): cond is Leaf => 'field' in cond

/** The conditions right below, each with its steps. */
export function partsOf(cond: Cond): { part: Cond; steps: Path }[] {
  if ('not' in cond) return [{ part: cond.not, steps: ['not'] }]
  if ('all' in cond) return cond.all.map((part, i) => ({ part, steps: ['all', i] }))
  return 'any' in cond ? cond.any.map((part, i) => ({ part, steps: ['any', i] })) : []
}

/** All leaves with their places. */
export function* leavesOf(cond: Cond | undefined, path: Path = []): Generator<{ leaf: Leaf; path: Path }> {
  if (!cond) return
  if (isLeaf(cond)) yield { leaf: cond, path }
  for (const { part, steps } of partsOf(cond)) yield* leavesOf(part, [...path, ...steps])
}

/** Number of nodes, leaves included. */
export const sizeOf = (cond: Cond | undefined): number =>
  cond ? partsOf(cond).reduce((size, { part }) => size + sizeOf(part), 1) : 0

type Form = Record<string, unknown>
const isForm = (value: unknown): value is Form => typeof value === 'object' && value !== null && !Array.isArray(value)

const COMBINATIONS = ['all', 'any', 'not']
const LEAF_KEYS = ['field', 'op', 'value']

/** Everything that keeps a value from being a condition; it is one when there is nothing. */
export function* conditionProblems(value: unknown, path: Path = [], depth = 1): Generator<Problem> {
  if (!isForm(value)) return yield { path, message: 'must be a condition' }
  if (depth > DEPTH_MAX) return yield { path, message: `must not be nested deeper than ${DEPTH_MAX}` }
  const keys = Object.keys(value)
  const combination = COMBINATIONS.find((name) => name in value)
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
    return yield { path, message: `must be a list of 1 to ${LIST_MAX} conditions` }
  }
  for (const [i, part] of list.entries()) yield* conditionProblems(part, [...path, i], depth + 1)
}

const isOp = (op: unknown): op is Op => OPS.some((known) => known === op)

function* leafProblems({ field, op, value }: Form, path: Path): Generator<Problem> {
  if (typeof field !== 'string' || field.length > TEXT_MAX)
    return yield { path: [...path, 'field'], message: 'must be a fact' }
  const row = factRow(field)
  const pointer = field.startsWith('payload.') ? field.slice('payload.'.length) : undefined
  if (!row) {
    const guess = closest(field, Object.keys(FACTS))
    return yield {
      path: [...path, 'field'],
      message: guess ? `unknown field; did you mean ${guess}?` : 'unknown field',
    }
  }
  if (pointer !== undefined && !stepsOf(pointer)) {
    return yield { path: [...path, 'field'], message: 'must be payload.<JSON pointer> with at most one *' }
  }
  const known = pointer === undefined ? OPS_OF[row.type] : [...OPS_OF[row.type], 'exists' as const]
  if (!isOp(op) || !known.includes(op)) {
    return yield { path: [...path, 'op'], message: `must be one of ${known.join(', ')} for this field` }
  }
  const message = valueProblem(op, value, row)
  if (message) yield { path: [...path, 'value'], message }
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
